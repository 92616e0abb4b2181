"""Bodies against their schema: what is wrong, where, and nothing of what was sent."""

from typing import Any

import pytest

from penstock.message.check import SchemaCheck, schema_check_of
from penstock.message.unreadable import Unreadable

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
SENT = "hunter2"


def inside(schema: Any) -> dict[str, Any]:  # noqa: ANN401 - a schema
    """For the field `a`."""
    return {"properties": {"a": schema}}


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (inside({"type": "integer"}), {"a": SENT}, "at `a`: expected integer"),
    (inside({"type": ["null", "integer"]}), {"a": SENT}, "at `a`: expected integer or null"),
    ({"required": ["job_id"]}, {}, "`job_id` is missing"),
    (inside({"required": ["b"]}), {"a": {}}, "at `a`: `b` is missing"),
    (inside({"items": {"type": "integer"}}), {"a": [1, SENT]}, "at `a[1]`: expected integer"),
    (
        inside({"items": inside({"type": "integer"})}),
        {"a": [{}, {"a": SENT}]},
        "at `a[1].a`: expected integer",
    ),
    ({"additionalProperties": False}, {SENT: 1}, "it contains something that the schema does not allow"),
    (
        {**inside({}), "additionalProperties": False},
        {SENT: 1},
        "it contains something that the schema does not allow",
    ),
    ({"unevaluatedProperties": False}, {SENT: 1}, "it contains something that the schema does not allow"),
    (inside(schema=False), {"a": SENT}, "at `a`: it contains something that the schema does not allow"),
    ({"additionalProperties": {"type": "integer"}}, {SENT: SENT}, "at `*`: expected integer"),
    ({"additionalProperties": {"type": "integer"}}, {"491701234567": SENT}, "at `*`: expected integer"),
    (
        inside({"additionalProperties": inside({"type": "integer"})}),
        {"a": {SENT: {"a": SENT}}},
        "at `a.*.a`: expected integer",
    ),
    (inside({"enum": ["start", "resume"]}), {"a": SENT}, 'at `a`: expected one of ["start", "resume"]'),
    (inside({"const": "start"}), {"a": SENT}, 'at `a`: expected "start"'),
    (inside({"pattern": "^https?://"}), {"a": SENT}, 'at `a`: expected `pattern: "^https?://"`'),
    (inside({"minimum": 5}), {"a": 1}, "at `a`: expected `minimum: 5`"),
    (inside({"multipleOf": 5}), {"a": 1}, "at `a`: expected `multipleOf: 5`"),
    (inside({"maxLength": 2}), {"a": SENT}, "at `a`: expected `maxLength: 2`"),
    (inside({"uniqueItems": True}), {"a": [SENT, SENT]}, "at `a`: it does not match `uniqueItems`"),
    (inside({"not": {}}), {"a": SENT}, "at `a`: it does not match `not`"),
    ({"propertyNames": {"pattern": "^x"}}, {SENT: 1}, "it does not match `propertyNames`"),
    (
        inside({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        {"a": 5},
        "at `a`: expected null or string",
    ),
    (
        inside({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}),
        {"a": SENT},
        "at `a`: expected `maxLength: 3`",
    ),
    (
        inside({"oneOf": [{"type": "null"}, inside({"anyOf": [inside({"type": "integer"}), {"type": "null"}]})]}),
        {"a": {"a": {"a": SENT}}},
        "at `a.a.a`: expected integer",
    ),
    (
        inside({"anyOf": [{"maxLength": 3}, {"pattern": "^x"}]}),
        {"a": SENT},
        "at `a`: it does not match `anyOf`",
    ),
    (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": SENT, "b": SENT},
        "it does not match `oneOf`",
    ),
    (
        {"$schema": DRAFT_7, **inside({"format": "email"})},
        {"a": SENT},
        'at `a`: expected `format: "email"`',
    ),
    (inside({"enum": ["x" * 500]}), {"a": SENT}, f'at `a`: expected one of ["{"x" * 75}...'),
    (inside({"pattern": "^(a+)+(?=b)$"}), {"a": "a" * 200}, 'at `a`: expected `pattern: "^(a+)+(?=b)$"`'),
]


@pytest.mark.parametrize(("schema", "body", "says"), WRONG)
def test_what_does_not_fit_is_told_by_place_and_expectation(
    schema: dict[str, Any], body: dict[str, Any], says: str
) -> None:
    with pytest.raises(Unreadable) as told:
        SchemaCheck(schema)(body)
    assert (told.value.reason, told.value.says) == ("schema", says)
    assert told.value.__suppress_context__


def test_what_fits_passes() -> None:
    SchemaCheck(inside({"type": "integer"}))({"a": 10**400, "b": SENT})


def test_formats_count_as_in_linting() -> None:
    """From 2019-09 on they describe and refuse nothing."""
    SchemaCheck(inside({"format": "email"}))({"a": SENT})


@pytest.mark.parametrize(
    "schema",
    [{}, {"type": "object"}, {"$schema": DRAFT_7, "type": "object", "title": "Anything", "$defs": {"a": {}}}],
)
def test_a_schema_that_every_object_fits_costs_nothing(schema: dict[str, Any]) -> None:
    assert schema_check_of(schema) is None


@pytest.mark.parametrize("schema", [{"type": "object", "required": []}, {"type": ["object"]}, {"$ref": "#"}])
def test_any_other_schema_is_checked(schema: dict[str, Any]) -> None:
    assert schema_check_of(schema) is not None


def test_a_schema_that_refers_to_itself_stands_the_deepest_body() -> None:
    body: dict[str, Any] = {"a": SENT}
    for _ in range(190):
        body = {"a": body}
    with pytest.raises(Unreadable) as told:
        SchemaCheck({"type": "object", "properties": {"a": {"$ref": "#"}}})(body)
    assert told.value.says.startswith("at `a.a.a.a")
    assert len(told.value.says) < 300


def test_nothing_is_fetched() -> None:
    with pytest.raises(ValueError, match="elsewhere"):
        SchemaCheck({"$ref": "http://elsewhere.example/schema.json"})
