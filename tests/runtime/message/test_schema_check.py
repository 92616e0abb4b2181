"""Schema errors name the place and the expected value, and never quote the message."""

from typing import Any

import pytest

from penstock.message.check import SchemaCheck, schema_check_of
from penstock.message.unreadable import Unreadable

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
SECRET = "hunter2"  # noqa: S105 - errors must not quote it


def field_a(schema: Any) -> dict[str, Any]:  # noqa: ANN401 - a schema
    """Return a schema for the field `a`."""
    return {"properties": {"a": schema}}


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (field_a({"type": "integer"}), {"a": SECRET}, "at `a`: expected integer"),
    (field_a({"type": ["null", "integer"]}), {"a": SECRET}, "at `a`: expected integer or null"),
    ({"required": ["job_id"]}, {}, "`job_id` is missing"),
    (field_a({"required": ["b"]}), {"a": {}}, "at `a`: `b` is missing"),
    (field_a({"items": {"type": "integer"}}), {"a": [1, SECRET]}, "at `a[1]`: expected integer"),
    (
        field_a({"items": field_a({"type": "integer"})}),
        {"a": [{}, {"a": SECRET}]},
        "at `a[1].a`: expected integer",
    ),
    ({"additionalProperties": False}, {SECRET: 1}, "it contains something that the schema does not allow"),
    (
        {**field_a({}), "additionalProperties": False},
        {SECRET: 1},
        "it contains something that the schema does not allow",
    ),
    ({"unevaluatedProperties": False}, {SECRET: 1}, "it contains something that the schema does not allow"),
    (field_a(schema=False), {"a": SECRET}, "at `a`: it contains something that the schema does not allow"),
    ({"additionalProperties": {"type": "integer"}}, {SECRET: SECRET}, "at `*`: expected integer"),
    ({"additionalProperties": {"type": "integer"}}, {"491701234567": SECRET}, "at `*`: expected integer"),
    (
        field_a({"additionalProperties": field_a({"type": "integer"})}),
        {"a": {SECRET: {"a": SECRET}}},
        "at `a.*.a`: expected integer",
    ),
    (field_a({"enum": ["start", "resume"]}), {"a": SECRET}, 'at `a`: expected one of ["start", "resume"]'),
    (field_a({"const": "start"}), {"a": SECRET}, 'at `a`: expected "start"'),
    (field_a({"pattern": "^https?://"}), {"a": SECRET}, 'at `a`: expected `pattern: "^https?://"`'),
    (field_a({"minimum": 5}), {"a": 1}, "at `a`: expected `minimum: 5`"),
    (field_a({"multipleOf": 5}), {"a": 1}, "at `a`: expected `multipleOf: 5`"),
    (field_a({"maxLength": 2}), {"a": SECRET}, "at `a`: expected `maxLength: 2`"),
    (field_a({"uniqueItems": True}), {"a": [SECRET, SECRET]}, "at `a`: it does not match `uniqueItems`"),
    (field_a({"not": {}}), {"a": SECRET}, "at `a`: it does not match `not`"),
    ({"propertyNames": {"pattern": "^x"}}, {SECRET: 1}, "it does not match `propertyNames`"),
    (
        field_a({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        {"a": 5},
        "at `a`: expected null or string",
    ),
    (
        field_a({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}),
        {"a": SECRET},
        "at `a`: expected `maxLength: 3`",
    ),
    (
        field_a({"oneOf": [{"type": "null"}, field_a({"anyOf": [field_a({"type": "integer"}), {"type": "null"}]})]}),
        {"a": {"a": {"a": SECRET}}},
        "at `a.a.a`: expected integer",
    ),
    (
        field_a({"anyOf": [{"maxLength": 3}, {"pattern": "^x"}]}),
        {"a": SECRET},
        "at `a`: it does not match `anyOf`",
    ),
    (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": SECRET, "b": SECRET},
        "it does not match `oneOf`",
    ),
    (
        {"$schema": DRAFT_7, **field_a({"format": "email"})},
        {"a": SECRET},
        'at `a`: expected `format: "email"`',
    ),
    (field_a({"enum": ["x" * 500]}), {"a": SECRET}, f'at `a`: expected one of ["{"x" * 75}...'),
    (field_a({"pattern": "^(a+)+(?=b)$"}), {"a": "a" * 200}, 'at `a`: expected `pattern: "^(a+)+(?=b)$"`'),
]


@pytest.mark.parametrize(("schema", "body", "says"), WRONG)
def test_an_error_names_place_and_expectation(schema: dict[str, Any], body: dict[str, Any], says: str) -> None:
    with pytest.raises(Unreadable) as error:
        SchemaCheck(schema)(body)
    assert (error.value.reason, error.value.says) == ("schema", says)
    assert error.value.__suppress_context__


def test_a_valid_body_passes() -> None:
    SchemaCheck(field_a({"type": "integer"}))({"a": 10**400, "b": SECRET})


def test_formats_are_checked_as_in_linting() -> None:
    """From draft 2019-09 on, a format is a description only."""
    SchemaCheck(field_a({"format": "email"}))({"a": SECRET})


@pytest.mark.parametrize(
    "schema",
    [{}, {"type": "object"}, {"$schema": DRAFT_7, "type": "object", "title": "Anything", "$defs": {"a": {}}}],
)
def test_a_schema_that_accepts_every_object_needs_no_check(schema: dict[str, Any]) -> None:
    assert schema_check_of(schema) is None


@pytest.mark.parametrize("schema", [{"type": "object", "required": []}, {"type": ["object"]}, {"$ref": "#"}])
def test_any_other_schema_is_checked(schema: dict[str, Any]) -> None:
    assert schema_check_of(schema) is not None


def test_a_recursive_schema_checks_the_deepest_body() -> None:
    body: dict[str, Any] = {"a": SECRET}
    for _ in range(190):
        body = {"a": body}
    with pytest.raises(Unreadable) as error:
        SchemaCheck({"type": "object", "properties": {"a": {"$ref": "#"}}})(body)
    assert error.value.says.startswith("at `a.a.a.a")
    assert len(error.value.says) < 300


def test_remote_references_are_never_fetched() -> None:
    with pytest.raises(ValueError, match="elsewhere"):
        SchemaCheck({"$ref": "http://elsewhere.example/schema.json"})
