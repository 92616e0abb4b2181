"""Editors and `penstock lint` agree on errors, as far as a JSON Schema can express a check."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from penstock_spec.fields import FieldAt, fields_of
from penstock_spec.json_schema import Schema, platform_schema, spec_schema
from penstock_spec.kinds import Kind, kinds
from penstock_spec.layers import may_override
from penstock_spec.model import Section
from penstock_spec.platform import Platform
from penstock_spec.reading import read
from penstock_spec.reference.full import CHOSEN, full
from penstock_spec.reference.types import in_words

Around = Callable[[type[Section], FieldAt, object], dict[str, Any]]

PIPELINE = kinds()["pipeline"]
SCHEMAS: dict[type[Section], Schema] = {
    **{kind.model: spec_schema(kind) for kind in kinds().values()},
    Platform: platform_schema(),
}
NAMES = [*kinds(), "platform"]
CHECKS = {model: jsonschema_rs.validator_for(schema) for model, schema in SCHEMAS.items()}
# The model leaves `defaults` to the specs; `test_..._unknown_path` checks it.
FIELDS = [
    pytest.param(model, one, id=f"{model.__name__}-{one.path}")
    for model in SCHEMAS
    for one in fields_of(model)
    if one.name != "defaults"
]

WRITTEN = """
null true 0 1 -1 1.5 1.30 2.0 1e3 0x10 100001 "" " " word "two words" 30 "30" 30s 1h30m s "30 s" 5min 1s1m 9999d
256Ki 256KB 250m 0.5 [] [word] [1] [[]] {} {unknown: 1} {length: 3} {"length": 3, "age": 7d} {json: x} {json: 1}
{model: "a:b"} {model: 1} 2027-01-31 2027-02-30 "#x" "{a}" "~a" "a{b}c" app app:latest a/b:1.0 "http://x" "ftp://x"
/a ../x host:1 host:99999 "u:p@h:1" retry process none Reject until-done fields
"""

LAXER = {
    "duration": "9999d",  # more than ten years
    "duration above 0": "9999d",
    "duration, at least 1s": "9999d",
    "file beside the spec": "/a ../x",
    "key": '" " "two words" "30 s" "{a}" "~a" "a{b}c"',
    "list of `host:port`, at least one": "[word]",
    "CPU quantity above 0": "1e3",
    "size above 0": "1e3",
    "size, at least 16Mi": '"30" 256Ki',
    "text": '" "',
    "version": "0 1 -1 30 100001 0x10 1e3",  # `2.0` is a whole number to JSON as well
    "whole number": "2.0 1e3",
}
"""Invalid values of a type that a schema cannot refuse. It accepts any text as an image or a time zone."""


def values() -> Iterator[tuple[str, Any]]:
    line = f"[{', '.join(part for part in _words(WRITTEN))}]\n"
    document = read("values.yaml", line.encode())
    assert document.problems == ()
    yield from zip(_words(WRITTEN), document.data, strict=True)


def _words(text: str) -> Iterator[str]:
    """Split at spaces outside quotes and brackets."""
    word, quoted, depth = "", False, 0
    for one in f"{text} ":
        quoted ^= one == '"'
        depth += (one in "[{") - (one in "]}") if not quoted else 0
        if one.isspace() and not quoted and not depth:
            if word:
                yield word
            word = ""
        else:
            word += one


def as_json(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    """Replace numbers that keep their text by plain ones, as an editor reads them."""
    if isinstance(value, dict):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_json(one) for one in value]
    return float(value) if isinstance(value, float) else value


def model_accepts(model: type[Section], data: dict[str, Any]) -> bool:
    try:
        model.model_validate(data)
    except ValidationError:
        return False
    return True


def schema_accepts(model: type[Section], data: dict[str, Any]) -> bool:
    return bool(CHECKS[model].is_valid(as_json(data)))


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=NAMES)
def test_each_schema_is_valid(schema: Schema) -> None:
    """By the draft that it names."""
    jsonschema_rs.meta.validate(schema)


def test_required_fields() -> None:
    """An editor marks a missing one."""
    required = {name: SCHEMAS[kind.model]["required"] for name, kind in kinds().items()}
    assert required == {
        "pipeline": ["kind", "name", "owner", "handler", "image"],
        "scheduler": ["kind", "name", "owner", "image", "jobs"],
    }


@pytest.mark.parametrize("model", SCHEMAS, ids=NAMES)
def test_full_files_pass_both(model: type[Section]) -> None:
    """All fields together, each with its example."""
    for data in full(model):
        model.model_validate(data)
        assert list(CHECKS[model].iter_errors(as_json(data))) == []


@pytest.mark.parametrize("model", SCHEMAS, ids=NAMES)
def test_full_files_lack_no_field(model: type[Section]) -> None:
    """Together they have every path of the model."""
    written = {path for data in full(model) for path in paths(data, "")}
    assert {one.path for one in fields_of(model)} - written == set()


def paths(value: object, path: str) -> Iterator[str]:
    """The paths of all fields, as `fields_of` writes them."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{path}.{'*' if key == CHOSEN else key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{path}[]")


def test_the_specs_of_the_repository_pass(root: Path) -> None:
    """An editor marks no error in them."""
    for path in sorted((root / "specs").glob("*.yaml")):
        document = read(path.name, path.read_bytes())
        check = CHECKS[kinds()[document.data["kind"]].model]
        assert list(check.iter_errors(as_json(document.data))) == [], path.name
    document = read("penstock.yaml", (root / "penstock.yaml").read_bytes())
    assert list(CHECKS[Platform].iter_errors(as_json(document.data))) == []


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_schema_and_model_agree_on_every_value(model: type[Section], field: FieldAt, around: Around) -> None:
    """The schema accepts all values that the model accepts, and others only as `LAXER` lists them."""
    stricter, laxer = [], []
    for text, value in values():
        data = around(model, field, value)
        by_model, by_schema = model_accepts(model, data), schema_accepts(model, data)
        if by_model and not by_schema:
            stricter.append(text)
        elif by_schema and not by_model:
            laxer.append(text)
    kind = in_words(field.info.annotation, field.info.metadata).removesuffix(", or `null`")
    allowed = set(_words(LAXER.get("whole number" if kind.startswith("whole number") else kind, "")))
    assert stricter == []
    assert kind in ("image", "time zone") or set(laxer) <= allowed


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_schema_and_model_refuse_an_unknown_key(model: type[Section], field: FieldAt, around: Around) -> None:
    """In every section."""
    unknown = FieldAt(f"{field.path.rpartition('.')[0]}.unknown".lstrip("."), field.owner, "unknown", FieldInfo())
    data = around(model, unknown, "x")
    assert not model_accepts(model, data)
    assert not schema_accepts(model, data)


@pytest.mark.parametrize(("model", "field"), [one for one in FIELDS if one.values[1].required])  # type: ignore[union-attr] # the second is a field
def test_schema_and_model_refuse_a_missing_required_field(model: type[Section], field: FieldAt, around: Around) -> None:
    """In every section."""
    data = around(model, field, "x")
    section: Any = data
    *parents, last = field.path.replace("[]", ".0").replace("*", "chosen").split(".")
    for step in parents:
        section = section[int(step) if step == "0" else step]
    del section[last]
    still_valid = field.path == "message.schema.model"  # without `model` it is a schema
    assert model_accepts(model, data) == still_valid
    assert schema_accepts(model, data) == still_valid


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        pytest.param(kind, one, id=f"{name}-{one.path}")
        for name, kind in kinds().items()
        for one in fields_of(kind.model)
    ],
)
def test_an_override_has_the_schema_of_its_field(kind: Kind, field: FieldAt, around: Around) -> None:
    """Editors offer every path that may be overridden, in a spec and in the platform file.

    The platform file accepts the values of that path in any kind of spec.
    """
    offered = may_override(kind, field.path) and "[]" not in field.path
    path = field.path.replace("*", "chosen")
    same = [
        (other.model, one)
        for other in kinds().values()
        for one in fields_of(other.model)
        if one.path == field.path and may_override(other, path)
    ]
    for _, value in values() if offered else [("", (field.info.examples or [])[0])]:
        spec = {
            **around(kind.model, fields_of(kind.model)[0], kind.name),
            "environments": {"dev": {path: value}},
        }
        environment = {"namespace": "dev", "redis": {"addresses": ["redis:6379"]}}
        platform = {"kind": "platform", "environments": {"dev": environment}, "defaults": {path: value}}
        inside = {**environment, "defaults": {path: value}}
        assert schema_accepts(kind.model, spec) == (
            offered and schema_accepts(kind.model, around(kind.model, field, value))
        ), value
        expected = any(schema_accepts(model, around(model, one, value)) for model, one in same) and "[]" not in path
        assert schema_accepts(Platform, platform) == expected, value
        assert schema_accepts(Platform, {**platform, "defaults": {}, "environments": {"dev": inside}}) == expected, (
            value
        )


@pytest.mark.parametrize(
    "path", ["work.timeot", "work.timeout.first", "retries.classes.a.b", "retries.classes.", "kind"]
)
def test_schema_and_model_refuse_an_override_of_an_unknown_path(path: str) -> None:
    """An environment may have only paths of fields."""
    assert not may_override(PIPELINE, path)
    data = full(PIPELINE.model)[0]
    assert schema_accepts(PIPELINE.model, data)
    assert not schema_accepts(PIPELINE.model, {**data, "environments": {"dev": {path: "x"}}})


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=NAMES)
def test_every_key_has_a_description_for_editors(schema: Schema) -> None:
    """With an example, and the default if there is one."""
    for path, one in properties(schema, ""):
        assert one["description"], path
        assert "Example: `" in one["markdownDescription"], path
        assert one["examples"], path
        words = one["description"]
        assert "default" in one or words.endswith("Required.") or "By default `" in words or "anyOf" in one, path


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=NAMES)
def test_sections_are_closed(schema: Schema) -> None:
    """Only message schemas, arguments of jobs and patch values may contain unknown keys."""
    opened = [path for path, one in sections(schema, "") if one.get("additionalProperties") in (None, True)]
    assert {re.sub("^definitions/[a-z]+/?", "", path) for path in opened} <= {
        "",
        "message/schema",
        "jobs/args",
        "jobs/send/message",
    }


def properties(schema: Any, path: str) -> Iterator[tuple[str, Schema]]:  # noqa: ANN401 - a schema, or a part of one
    if isinstance(schema, list):
        for one in schema:
            yield from properties(one, path)
    if not isinstance(schema, dict) or "$ref" in schema:
        return
    for key, one in schema.get("properties", {}).items():
        if "$ref" not in one:
            yield f"{path}/{key}".lstrip("/"), one
            yield from properties(one, f"{path}/{key}")
    for word in ("anyOf", "items", "additionalProperties"):
        yield from properties(schema.get(word), path)
    for key, one in schema.get("definitions", {}).items():
        yield from properties(one, f"definitions/{key}")


def sections(schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    for where, one in [(path, schema), *properties(schema, path)]:
        yield from ((where, part) for part in (one, *one.get("anyOf", ())) if "object" in str(part.get("type")))
