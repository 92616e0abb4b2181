"""The screen's keys send sample messages that fit the pipeline's schema, or report that there is none."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs as compiled
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_dev.sample import sample
from penstock_spec.findings import CannotGoOn

Schema = dict[str, Any]

PATTERNS = (
    "^https?://", "^[a-z0-9-]+$", r"^\d{4}-\d{2}-\d{2}$", "^(red|green|blue)$", r"^[A-Z]{2}\d+$",
    r"^\S+@\S+\.[a-z]{2,}$", "[0-9a-f]{8}",
    r"^v\d+(\.\d+){2}(-rc\d)?$", r"^[^/]+/[^/]+$", r"^\w+(?:-\w+)*$", r"^\+?[1-9]\d{6,14}$", "",
)  # fmt: skip
FORMATS = ("date-time", "date", "uuid", "email", "uri", "ipv4", "ipv6", "hostname", "time")

lengths = st.integers(0, 40)
names = st.sampled_from(["id", "job_id", "player", "größe", "a b", "url", "items"])
texts = (
    st.builds(lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more}, lengths, lengths)
    | st.builds(lambda one: {"type": "string", "pattern": one}, st.sampled_from(PATTERNS))
    | st.builds(lambda one: {"type": "string", "format": one}, st.sampled_from(FORMATS))
)
numbers = st.builds(
    lambda kind, low, more, step: {
        "type": kind,
        "minimum": low,
        "exclusiveMaximum": low + step + more,
        **({} if step == 1 else {"multipleOf": step}),
    },
    *(st.sampled_from(["integer", "number"]), st.integers(-1000, 1000), st.integers(1, 50), st.integers(1, 7)),
)
fixed = st.lists(st.none() | st.booleans() | st.integers() | st.text(max_size=5), min_size=1, max_size=3).map(
    lambda values: {"enum": values}
)
leaves: st.SearchStrategy[Any] = texts | numbers | fixed | st.sampled_from([{}, True, {"type": ["null", "integer"]}])


def random_of(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - sample data


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda fields, more, closed: {
            "type": "object",
            "properties": fields,
            "required": [name for number, name in enumerate(fields) if number in more],
            **({"additionalProperties": False} if closed else {}),
        },
        *(st.dictionaries(names, inner, max_size=4), st.sets(st.integers(0, 3)), st.booleans()),
    )


def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.builds(
        lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 3)
    )
    choices = st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some})
    return objects(inner) | lists | choices


bodies = objects(st.recursive(leaves, around, max_leaves=8))


@given(schema=bodies, seed=st.integers(0, 1000))
def test_a_sample_fits_its_schema(schema: Schema, seed: int) -> None:
    """With any requirements on texts, numbers, lists and choices."""
    body = sample(schema, random_of(seed))
    assert compiled.Draft202012Validator(schema, validate_formats=True).is_valid(body), body


@given(one=bodies, other=bodies, seed=st.integers(0, 1000))
def test_a_sample_fits_combined_schemas(one: Schema, other: Schema, seed: int) -> None:
    """`allOf` of two with different fields, one of them by reference."""
    renamed = {f"other {name}": part for name, part in other["properties"].items()}
    second = {
        "type": "object", "properties": renamed, "required": [f"other {name}" for name in other["required"]]
    }  # fmt: skip
    first = {key: value for key, value in one.items() if key != "additionalProperties"}
    schema = {"allOf": [{"$ref": "#/$defs/first"}, second], "$defs": {"first": first}}
    body = sample(schema, random_of(seed))
    assert compiled.Draft202012Validator(schema).is_valid(body), body


@given(seed=st.integers(0, 1000))
def test_the_same_random_seed_gives_the_same_samples(seed: int) -> None:
    """Consecutive samples differ, so that none is a duplicate."""
    schema = {"required": ["job_id"], "properties": {"job_id": {"type": "string"}}}
    random = random_of(seed)
    samples = [sample(schema, random) for _ in range(3)]
    assert samples == [sample(schema, again) for again in [random_of(seed)] for _ in range(3)]
    assert len({json.dumps(one) for one in samples}) == 3


@given(seed=st.integers(0, 1000))
def test_samples_follow_the_examples(seed: int) -> None:
    """Except the unique fields, and required fields that the example lacks."""
    schema = {
        "required": ["id", "type", "player"],
        "properties": {"id": {"type": "string"}, "type": {"type": "string"}},
        "examples": [{"id": "1", "type": "remind", "text": "tea"}, {"id": "2", "type": "count"}, "not a body"],
    }
    body = sample(schema, random_of(seed), unique={"id"})
    assert (body["type"], body.get("text")) in {("remind", "tea"), ("count", None)}
    assert body["id"] not in {"1", "2"}
    assert body["player"]


def test_invalid_examples_are_ignored() -> None:
    """The schema is what counts."""
    schema = {"required": ["n"], "properties": {"n": {"type": "integer"}}, "examples": [{"n": "many"}]}
    assert isinstance(sample(schema, random_of(1))["n"], int)


@pytest.mark.parametrize("name", ["agent-queue", "browser-jobs", "jobs", "media-cluster", "tankpit-jobs"])
def test_every_pipeline_of_the_repository_has_samples(root: Path, name: str) -> None:
    """With schemas as teams write them."""
    schema = json.loads((root / f"generated/dev/{name}/schema.json").read_text())
    samples = [sample(schema, random) for random in [random_of(1)] for _ in range(50)]
    assert [one for one in samples if not compiled.Draft202012Validator(schema).is_valid(one)] == []


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind", "size"], "allOf": [
            {"if": {"properties": {"kind": {"const": "a"}}}, "then": {"properties": {"size": {"type": "integer"}}}},
            {"if": {"properties": {"kind": {"const": "b"}}}, "then": {"properties": {"size": {"enum": ["s", "m"]}}}},
        ]},
        {"oneOf": [{"required": ["a"], "properties": {"b": False}}, {"required": ["b"], "properties": {"a": False}}]},
        {"properties": {"n": {"type": "integer", "not": {"multipleOf": 2}}}, "required": ["n"]},
        {"minProperties": 3, "propertyNames": {"pattern": "^[a-z]{3}$"}, "additionalProperties": {"type": "integer"}},
        {"minProperties": 1, "patternProperties": {"^x-": {"const": 1}}, "additionalProperties": False},
        {"properties": {"tree": {"$ref": "#/$defs/tree"}}, "required": ["tree"], "$defs": {"tree": {
            "type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}},
        {"properties": {"p": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "items": False,
                              "minItems": 2}}, "required": ["p"]},
        {"properties": {"s": {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"enum": [1, 2, 3]}}},
         "required": ["s"]},
        {"properties": {"c": {"type": "array", "contains": {"const": "x"}, "items": {"type": "string"}}},
         "required": ["c"]},
        {"properties": {"f": {"type": "number", "minimum": 0.25, "maximum": 0.3}}, "required": ["f"]},
        {"properties": {"f": {"type": "number", "multipleOf": 0.1, "exclusiveMinimum": 0}}, "required": ["f"]},
        {"properties": {"f": {"allOf": [{"type": "number"}, {"type": "integer", "minimum": 7}]}}, "required": ["f"]},
        {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
            "t": {"type": "array", "items": [{"const": 1}], "additionalItems": {"const": 2}, "minItems": 3}},
         "required": ["t"]},
        {"properties": {"hex": {"pattern": r"^\x41[\u0042-D\-]{2,}?$", "minLength": 4}}, "required": ["hex"]},
    ],
)  # fmt: skip
def test_keywords_over_several_values_are_satisfied(schema: Schema) -> None:
    """Conditions, exclusions, recursion, names by pattern, items by position."""
    validator = compiled.validator_for(schema)
    samples = [sample(schema, random) for random in [random_of(2)] for _ in range(30)]
    assert [one for one in samples if not validator.is_valid(one)] == []


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"required": ["a"], "properties": {"a": False}}, "`a` allows no value"),
        ({"required": ["a"], "properties": {"a": {"allOf": [False]}}}, "no value is possible"),
        ({"type": "array"}, "it has contradictory types"),
        ({"required": ["a"], "properties": {"a": {"enum": []}}}, "no value is possible"),
        ({"required": ["a"], "properties": {"a": {"type": "integer", "minimum": 3, "maximum": 2}}},
         "`a` has no number between its bounds"),
        ({"required": ["a"], "properties": {"a": {"type": "string", "minLength": 9, "maxLength": 2}}},
         "`a` must be longer than 8 and shorter than 3 characters"),
        ({"required": ["a"], "properties": {"a": {"pattern": "^(?=x)y$"}}},
         "`a` has a pattern that cannot be generated: lookaround and named groups are not supported"),
        ({"required": ["a"], "properties": {"a": {"pattern": r"(a)\1"}}},
         r"`a` has a pattern that cannot be generated: `\1`"),
        ({"required": ["a"], "properties": {"a": {"pattern": "^a{2}$", "maxLength": 1}}},
         "`a` has a pattern that cannot be generated: no match has the required length"),
        ({"$ref": "#"}, "it is infinitely recursive"),
        ({"required": ["a"], "properties": {"a": {"$ref": "#"}}}, "it is nested too deeply"),
        ({"not": {}}, "no sample satisfies `not`"),
    ],
)  # fmt: skip
def test_an_unsatisfiable_schema_is_reported(schema: Schema, why: str) -> None:
    """With the field and a hint."""
    with pytest.raises(CannotGoOn) as failed:
        sample(schema, random_of(3))
    assert str(failed.value).startswith(f"cannot generate a sample message: {why}")
    assert failed.value.hint == "send your own with `penstock send`; simple patterns work best"
