"""Any value of a field is kept as plain data or refused, fast and without a failure."""

import json
from pathlib import Path
from typing import Any, Protocol

import pytest

from penstock_spec.fields import fields_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Platform


class Answer(Protocol):
    code: int
    output: str
    rules: set[str]


class Repository(Protocol):
    root: Path

    def lint(self, content: bytes) -> Answer: ...


MANY = 4_000
VALUES = {
    "a huge number": "9" * 10_000,
    "a number that is too large": "1e400",
    "a number that is too small": "-1e400",
    "infinity": ".inf",
    "minus infinity": "-.INF",
    "no number": ".nan",
    "a large hexadecimal number": "0x" + "f" * 5000,
    "a large octal number": "0o" + "7" * 5000,
    "a long fraction": "0." + "3" * 5000,
    "zero": "0",
    "minus one": "-1",
    "null": "~",
    "true": "true",
    "nothing": '""',
    "blanks": '"   "',
    "a list": "[]",
    "a list of lists": "[[[[]]]]",
    "a section": "{}",
    "a section of sections": "{a: {b: {c: {}}}}",
    "an invalid day": "2027-02-30",
    "an invalid month": "2027-13-01",
    "the year zero": "0000-00-00",
    "braces": '"{}"',
    "braces around nothing": '"{}{x}{"',
    "fields of our own messages": '"{hint} {says} {value} {{}} {0}"',
    "a percent sign": '"%s %(a)s %n"',
    "a template": '"{{ 7 * 7 }}{% raw %}${HOME}`id`$(id)"',
    "an end of a text": json.dumps('"\n---\n- a: b\n'),
    "marks that reverse text": '"\\u202eabc\\u2066"',
    "a terminal's escape": '"\\e[2J\\a"',
    "NUL": '"a\\0b"',
    "lone surrogate": '"\\ud800"',
    "a character outside the basic plane": '"\\U0001f600"',
    "a relative path out": "../../../etc/passwd",
    "an absolute path": "/etc/passwd",
    "a path with backslashes": '"..\\\\..\\\\boot.ini"',
    "an address with a password": "http://user:secret@host:99999/",
    "an incomplete address": '"http://[::1"',
    "a long word": "a" * MANY,
    "a long word that ends badly": "a" * MANY + "!",
    "many hyphens": "a" + "-" * MANY,
    "many dots": "a." * MANY,
    "many dots and an end": "a." * MANY + ":",
    "many underscores": "a__" * MANY,
    "many slashes": "a/" * MANY,
    "many slashes and a tag": "a/" * MANY + ":1.0",
    "many colons": '"' + "a:" * MANY + '"',
    "many digits": '"' + "1" * MANY + '"',
    "many digits and a unit": "1" * MANY + "s",
    "many digits and a wrong unit": "1" * MANY + "sec",
    "many units": "1h" * MANY,
    "many points": '"' + "1." * MANY + '"',
    "many blanks before a unit": '"1' + " " * MANY + 's x"',
    "many braces": '"' + "{" * MANY + '"',
    "many pairs of braces": '"' + "{}" * MANY + '"',
    "many tildes": '"' + "/~" * MANY + '"',
    "many pointers": '"' + "/~0" * MANY + '~"',
    "many at signs": '"' + "a@" * MANY + '"',
    "many brackets": '"http://' + "[" * MANY + '"',
}


def filled(model: Any, value: str, *, deep: bool) -> str:  # noqa: ANN401 - a model's class
    """A document with the value in every field. Of sections that can also be a word, `deep` fills the fields."""
    marker = "\0value\0"
    data: dict[str, Any] = {}
    paths = {field.path.replace("[]", ".[]") for field in fields_of(model)}
    words = ("stream.retention.keep", "message.encoding", "message.schema")
    for path in sorted(paths):
        inner = any(other.startswith(f"{path}.") for other in paths)
        inside = any(path.startswith(f"{word}.") for word in words)
        if (inner and (deep or path not in words)) or (inside and not deep):
            continue
        put(data, path.split("."), marker)
    text = json.dumps(data).replace(json.dumps(marker), value)
    return text.replace('"kind": ' + value, f'"kind": "{model.__name__.lower()}"')


def put(data: Any, steps: list[str], value: str) -> None:  # noqa: ANN401 - sections and lists
    """Put a value at a path; chosen keys are called `x`."""
    step = "x" if steps[0] == "*" else steps[0]
    if len(steps) == 1:
        if isinstance(data, dict):
            data[step] = value
        else:
            data.append(value)
        return
    inner: Any = [] if steps[1] == "[]" else {}
    if isinstance(data, list):
        data[:] = data or [inner]
        put(data[0], steps[1:], value)
    elif isinstance(data, dict):
        put(data.setdefault(step, inner), steps[1:], value)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_hostile_values_in_every_field_of_a_spec(repository: Repository, value: str, *, deep: bool) -> None:
    short = value if len(value) < 600 else value[:150] + value[-450:]
    answer = repository.lint(filled(Pipeline, short, deep=deep).encode())
    assert answer.code == 1, answer.output[-2000:]
    assert "Traceback" not in answer.output
    assert "\x1b" not in answer.output
    assert "\u202e" not in answer.output


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_hostile_values_in_every_field_of_the_platform_file(repository: Repository, value: str) -> None:
    short = value if len(value) < 600 else value[:150] + value[-450:]
    answer = repository.lint(filled(Platform, short, deep=True).encode())
    assert answer.code == 1, answer.output[-2000:]


LONG = [
    "name", "owner.contact", "handler", "image", "stream.key", "stream.group", "stream.consumer", "message.max_size",
    "work.timeout", "work.concurrency", "retries.backoff.factor", "resources.cpu", "shutdown.sidecar_quit_url",
    "dead_letter.keep", "work.isolation", "stream.retention.keep", "message.schema.model", "kind",
]  # fmt: skip


@pytest.mark.parametrize("value", [value for value in VALUES.values() if len(value) >= 600])
def test_long_values_in_fields_of_every_type(repository: Repository, value: str) -> None:
    for paths in (LONG[0::3], LONG[1::3], LONG[2::3]):
        data: dict[str, Any] = {"kind": "pipeline"}
        for path in paths:
            put(data, path.split("."), "\0")
        answer = repository.lint(json.dumps(data).replace(json.dumps("\0"), value).encode())
        assert answer.code == 1, (paths, answer.output[-2000:])
        assert len(answer.output) < 40_000
