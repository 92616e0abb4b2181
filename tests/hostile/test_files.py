"""`penstock lint` refuses any hostile file with a reason, within a second and 100 MB."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from penstock_spec.reading.compose import DEEPEST, MOST_VALUES
from penstock_spec.reading.source import LARGEST


class Answer(Protocol):
    code: int
    output: str
    rules: set[str]


class Repository(Protocol):
    root: Path
    path: Path

    def lint(self, content: bytes) -> Answer: ...
    def lint_path(self, path: Path, who: str = "me") -> Answer: ...


SPEC = """\
kind: pipeline
name: it
owner: {team: media}
handler: media.jobs:handle
image: registry.example/media:1.0.0
"""


def filled(start: str, piece: str, end: str = "") -> bytes:
    """A piece repeated up to the largest file that is read."""
    times = (LARGEST - len((start + end).encode())) // len(piece.encode())
    return (start + piece * times + end).encode()


def numbered(start: str, piece: str, end: str = "", most: int = LARGEST) -> bytes:
    """Like `filled`, with a different number in every piece."""
    text = start
    for number in range(most):
        more = piece.format(number)
        if len(text) + len(more) + len(end) > LARGEST:
            break
        text += more
    return (text + end).encode()


LAUGHS = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 30))

REFUSED = {
    "billion laughs": ("yaml-alias", f"l0: &l0 ha\n{LAUGHS}".encode()),
    "an alias to itself": ("yaml-alias", b"a: &a [*a]\n"),
    "a tag that runs code": ("yaml-tag", b'a: !!python/object/apply:os.system ["touch executed"]\n'),
    "a tag that makes an object": ("yaml-tag", b"!!python/object:subprocess.Popen {args: [ls]}\n"),
    "a tag of YAML": ("yaml-tag", b"a: !!binary aGVsbG8=\n"),
    "a tag of one's own": ("yaml-tag", b"a: !env SECRET\n"),
    "a verbatim tag": ("yaml-tag", b"a: !<tag:yaml.org,2002:str> b\n"),
    "a merge": ("merge-key", b"<<: {a: 1}\n"),
    "ten megabytes": ("file-too-large", b"a: 1 # x\n" * 1_200_000),
    "ten megabytes of brackets": ("file-too-large", b"[" * 10_000_000),
    "deep sequences": ("too-deep", b"a: " + b"[" * 10_000),
    "deep closed sequences": ("too-deep", b"a: " + b"[" * 10_000 + b"]" * 10_000),
    "deep mappings": ("too-deep", b"{a: " * 10_000),
    "deep blocks": ("too-deep", "".join(" " * n + "a:\n" for n in range(480)).encode()),
    "deep block sequences": ("too-deep", b"- " * 10_000),
    "deep keys": ("too-deep", b"? " * 10_000),
    "deep keys in flow": ("too-deep", b"{? " * 10_000),
    "a deep message schema": (
        "too-deep",
        (SPEC + "message: {schema: " + "{not: " * DEEPEST + "1" + "}" * (DEEPEST + 1)).encode(),
    ),
    "two byte order marks": ("forbidden-character", b"\xef\xbb\xbf\xef\xbb\xbf" + SPEC.encode()),
    "UTF-16": ("not-utf8", SPEC.encode("utf-16")),
    "UTF-16 without a mark": ("forbidden-character", SPEC.encode("utf-16-le")),
    "UTF-32": ("not-utf8", SPEC.encode("utf-32")),
    "UTF-32 without a mark": ("forbidden-character", SPEC.encode("utf-32-be")),
    "incomplete character": ("not-utf8", b"name: \xc3"),
    "a surrogate in UTF-8": ("not-utf8", b"name: \xed\xa0\x80"),
    "an overlong slash": ("not-utf8", b"name: \xc0\xaf"),
    "Latin-1": ("not-utf8", "name: é".encode("latin-1")),
    "bytes of a program": ("not-utf8", b"\x7fELF\x02\x01\x01\x00\xff\xfe" * 100),
    "NUL": ("forbidden-character", b"name: a\0b\n"),
    "bells": ("forbidden-character", b"\a" * LARGEST),
    "an escape sequence of a terminal": ("forbidden-character", b"name: \x1b[2J\n"),
    "marks that turn text around": ("forbidden-character", "name: a\u202eb\u2066\n".encode()),
    "line separators": ("forbidden-character", "name: a\u2028b: c\n".encode()),
    "lone surrogate by an escape": ("forbidden-character", b'name: "\\ud800"\n'),
    "lone surrogate in a key": ("forbidden-character", b'"\\udfff": 1\n'),
    "nothing": ("empty-file", b""),
    "blanks": ("empty-file", b"\n \n\n"),
    "comments": ("empty-file", b"# a\n#\n# b"),
    "many comments": ("empty-file", filled("", "#\n")),
    "an end": ("yaml-syntax", b"...\n"),
    "a start": ("not-a-spec", b"---\n"),
    "a second document": ("several-documents", SPEC.encode() + b"---\n" + SPEC.encode()),
    "many documents": ("several-documents", filled("", "---\n")),
    "a directive": ("yaml-directive", b"%YAML 1.1\n---\n" + SPEC.encode()),
    "many directives": ("yaml-directive", filled("", "%a\n")),
    "a list": ("not-a-spec", b"- a\n- b\n"),
    "a word": ("not-a-spec", b"pipeline\n"),
    "a key that is a list": ("key-not-text", b"[a]: 1\n"),
    "a key that is a mapping": ("key-not-text", b"? {a: 1}\n: 2\n"),
    "a key that is null": ("key-not-text", b": 1\n"),
    "a key that is a number": ("key-not-text", b"1: 1\n"),
    "a key that is no number": ("key-not-text", b".nan: 1\n"),
    "a key over lines": ("yaml-syntax", b"{a\n b: 1, c\n"),
    "a lone quote": ("yaml-syntax", b'a: "\n---'),
    "a template": ("key-not-text", b"{{ values.name }}\n"),
    "an open quote": ("yaml-syntax", filled('a: "', "x\n ")),
    "an open bracket": ("yaml-syntax", b"a: [1\n"),
    "a block scalar of no lines": ("missing-field", b"a: |"),
    "a lone carriage return": ("missing-field", b"a: 1\rb: 2\r"),
    "tabs": ("tab-indentation", filled("a:\n", "\tb: 1\n")),
    "tabs in flow": ("tab-indentation", filled("a: {\n", "\tb,\n", "}")),
    "many keys": ("file-too-large", numbered("", "k{}: 1\n")),
    "many short keys": ("too-many-findings", numbered("", "{:x}:\n")),
    "many duplicate keys": ("too-many-findings", filled("", "a: 1\n")),
    "many anchors": ("too-many-findings", numbered("", "- &a{} 1\n")),
    "many aliases on a line": ("too-many-findings", filled("a: &a 1\nb: [", "*a,", "]")),
    "many tags on a line": ("too-many-findings", filled("a: [", "!x 1,", "]")),
    "many unknown fields": ("too-many-findings", numbered(f"{SPEC}work:\n", "  timeou{}: 1\n", most=4900)),
    "many unknown overrides": (
        "too-many-findings",
        numbered(f"{SPEC}environments:\n dev:\n", "  work.timeou{}: 1\n", most=4900),
    ),
    "many environments": ("too-many-findings", numbered(f"{SPEC}environments:\n", "  production{}: 1\n", most=4900)),
    "many unknown rules": (
        "too-many-findings",
        f"{SPEC}suppress:\n".encode() + b"  - {rule: scale-to-zero-kils, reason: a, until: 2099-01-01}\n" * 1200,
    ),
    "many wrong items": ("too-many-findings", f"{SPEC}expect: [{'1,' * 4900}]".encode()),
    "many wrong names": (
        "too-many-findings",
        numbered(SPEC + "retries: {classes: {", "A{}: {{}},", "}}", most=4900),
    ),
    "a long key": ("yaml-syntax", b"a" * 100_000 + b": 1\n"),
    "a long explicit key": ("unknown-field", f"{SPEC}work:\n  ? {'timeout' * 12_000}\n  : 1\n".encode()),
    "a long key twice": ("duplicate-key", f"? {'a' * 40_000}\n: 1\n? {'a' * 40_000}\n: 1\n".encode()),
    "a long anchor": ("yaml-alias", f"a: &{'a' * 100_000} 1\n".encode()),
    "a long tag": ("yaml-tag", f"a: !{'a' * 100_000} 1\n".encode()),
    "a long name": ("name-too-long", SPEC.replace("it", "i" * 100_000).encode()),
    "a huge number": ("wrong-type", f"{SPEC}work: {{concurrency: {'9' * 10_000}}}\n".encode()),
    "a large number": ("out-of-range", f"{SPEC}work: {{concurrency: {'9' * 100}}}\n".encode()),
}

# Files of the maximum size that are slowest for the reference parser.
SLOW = {
    "items": filled("a: [", "1,", "]"),
    "items without an end": filled("a: [", "1,"),
    "pairs": filled("a: [", "a: ,", "]"),
    "pairs without values": filled("a: [", "a:,", "]"),
    "nested items": filled("a: [", "[" * 30 + "]" * 30 + ",", "]"),
    "nested pairs": filled("a: [", "{a: " * 30 + "}" * 30 + ",", "]"),
    "brackets by lines": filled("", "[" * 1000 + "\n"),
    "explicit keys": numbered("? a\n: 1\n", "? k{}\n: \n"),
    "lone question marks": filled("", "?\n"),
    "lone colons": filled("", ":\n"),
    "lone dashes": filled("a:\n", "-\n"),
    "dashes twice": filled("a:\n", "- -\n"),
    "quotes": filled("a: [", "'',"),
    "a quoted text": filled('a: "', "x ", '"'),
    "escapes": filled('a: "', "\\u00e9", '"'),
    "a plain text": filled("a: ", "x "),
    "a plain text over lines": filled("a: ", "x\n "),
    "a plain text with astral signs": filled("a: ", "\U0001f600 "),
    "a block text": filled("a: |\n", " x\n"),
    "a folded text": filled("a: >\n", " x\n"),
    "a block text of blanks": filled("a: |\n", " \n"),
    "comments behind headers": filled("a: ", "| #"),
    "blank lines": filled("a: 1\n", "\n"),
    "a long indentation": filled("a:\n", " ", "b: 1"),
    "lines that end in a carriage return": filled("a: [", "1,\r"),
    "wide signs": filled("a: [", "日,", "]"),
}


def test_these_files_have_the_maximum_size() -> None:
    assert all(LARGEST - 2000 < len(content) <= LARGEST for content in SLOW.values())
    assert MOST_VALUES < LARGEST / 10


@pytest.mark.parametrize(("rule", "content"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_file_is_refused_with_a_reason(repository: Repository, rule: str, content: bytes) -> None:
    answer = repository.lint(content)
    assert answer.code == 1, answer.output[-2000:]
    assert rule in answer.rules
    assert "Traceback" not in answer.output
    assert len(answer.output) < 200_000


@pytest.mark.parametrize("content", SLOW.values(), ids=SLOW)
def test_the_largest_file_is_read_in_time(repository: Repository, content: bytes) -> None:
    answer = repository.lint(content)
    assert answer.code == 1, answer.output[-2000:]
    assert "Traceback" not in answer.output


def test_a_byte_order_mark_is_reported_and_skipped(repository: Repository) -> None:
    answer = repository.lint(b"\xef\xbb\xbf" + SPEC.encode())
    assert answer.code == 0
    assert "warning[byte-order-mark]" in answer.output


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_do_not_matter(repository: Repository, ending: str) -> None:
    answer = repository.lint(SPEC.replace("\n", ending).encode())
    assert (answer.code, answer.rules) == (0, set())


@pytest.fixture
def any_path(repository: Repository) -> Iterator[Path]:
    """A path in the repository for any kind of file."""
    path = repository.root / "specs" / "any.yaml"
    yield path
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def test_a_folder_is_reported(repository: Repository, any_path: Path) -> None:
    any_path.mkdir()
    assert repository.lint_path(any_path).rules == {"unreadable-file"}


def test_a_pipe_does_not_block(repository: Repository, any_path: Path) -> None:
    os.mkfifo(any_path)
    assert repository.lint_path(any_path).rules == {"unreadable-file"}


def test_a_device_is_not_read(repository: Repository, any_path: Path) -> None:
    any_path.symlink_to("/dev/zero")
    assert repository.lint_path(any_path).rules == {"unreadable-file"}


def test_a_link_to_itself_is_reported(repository: Repository, any_path: Path) -> None:
    any_path.symlink_to(any_path)
    assert repository.lint_path(any_path).rules == {"unreadable-file"}


def test_a_file_without_permission_is_reported(repository: Repository, any_path: Path) -> None:
    any_path.write_text(SPEC)
    any_path.chmod(0)
    answer = repository.lint_path(any_path, who="nobody")
    assert answer.rules == {"unreadable-file"}


def test_a_missing_file_is_reported(repository: Repository, any_path: Path) -> None:
    assert repository.lint_path(any_path).rules == {"unreadable-file"}


@pytest.mark.parametrize(
    "name", ["a" * 300, "../" * 2000 + "a.yaml", "\x1b[31mred.yaml", "\u202eabc", "-x/y.yaml", "it.yaml/x"]
)
def test_an_impossible_name_is_reported(repository: Repository, name: str) -> None:
    answer = repository.lint_path(repository.root / "specs" / name)
    assert answer.rules == {"unreadable-file"}
    assert "\x1b" not in answer.output
