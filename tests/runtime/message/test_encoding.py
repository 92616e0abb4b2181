"""Workers read the entries of producers; any other entry is a valid message or has a reason why it is not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from penstock.message.encoding import encoding_of
from penstock.message.penstock_fields import write_own_fields
from penstock.message.unreadable import Unreadable, Unsendable
from penstock_spec.kinds.pipeline.stream import Message

SECRET = "hunter2"  # noqa: S105 - errors must not quote it
Data = dict[str, Any]

TEXT = st.text(st.characters(codec="utf-8"), max_size=10)
NAME = TEXT.filter(lambda name: not name.startswith("penstock-"))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXT,
    "integer": st.integers(),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
    "array": st.lists(PLAIN, max_size=3),
    "object": st.dictionaries(TEXT, PLAIN, max_size=3),
}


class SomeEncoding:
    """The encoding of a spec."""

    def __init__(self, encoding: Any, schema: Data | None = None, **more: Any) -> None:  # noqa: ANN401 - as in a spec
        schema = {"type": "object"} if schema is None else schema
        message = Message.model_validate({"encoding": encoding, "schema": schema, **more})
        self.encoding = encoding_of(message, schema)

    def round_trip(self, body: object) -> Data:
        return self.encoding.read([*self.encoding.write(body), *write_own_fields("01ARZ3NDEKTSV4RRFFQ69G5FAV")]).value


def json_form(schema: Data | None = None, **more: Any) -> SomeEncoding:  # noqa: ANN401 - as in a spec
    return SomeEncoding({"json": "data"}, schema, **more)


def flat_form(schema: Data | None = None, **more: Any) -> SomeEncoding:  # noqa: ANN401 - as in a spec
    return SomeEncoding("fields", schema, **more)


@given(st.dictionaries(TEXT, PLAIN, max_size=5))
def test_json_encoding_keeps_any_body(body: Data) -> None:
    assert json_form().round_trip(body) == body


@st.composite
def schema_and_body(draw: st.DrawFn) -> tuple[Data, Data]:
    """Return a schema and a valid body."""
    types = draw(st.dictionaries(NAME, st.sampled_from([*VALUES]), max_size=5))
    schema = {"type": "object", "properties": {name: {"type": kind} for name, kind in types.items()}}
    return schema, {name: draw(VALUES[kind]) for name, kind in types.items()}


@given(schema_and_body())
def test_fields_encoding_keeps_a_body_with_declared_types(pair: tuple[Data, Data]) -> None:
    schema, body = pair
    assert flat_form(schema).round_trip(body) == body


@given(st.dictionaries(NAME, TEXT, max_size=5))
def test_fields_encoding_keeps_text_without_a_schema(body: Data) -> None:
    assert flat_form().round_trip(body) == body


@given(st.dictionaries(NAME, PLAIN, max_size=5), st.dictionaries(NAME, st.sampled_from([*VALUES]), max_size=5))
def test_fields_encoding_never_changes_a_declared_type(body: Data, types: dict[str, str]) -> None:
    """The producer refuses such a body; undeclared fields are read as text."""
    encoding = flat_form({"properties": {name: {"type": kind} for name, kind in types.items()}})
    try:
        back = encoding.round_trip(body)
    except Unsendable as error:
        assert error.reason in {"schema", "type"}  # noqa: PT017 - a refusal is one of two valid results
        return
    assert {name: back[name] for name in body if name in types} == {n: v for n, v in body.items() if n in types}
    assert all(isinstance(value, str) for name, value in back.items() if name not in types)


class Job(BaseModel):
    job_id: str
    width: int
    note: str | None = None
    ratio: float | None = None


@dataclass
class Ticket:
    id: int
    open: bool


@pytest.mark.parametrize("make", [json_form, flat_form])
def test_a_model_survives_the_round_trip(make: Any) -> None:  # noqa: ANN401 - one of the two above
    """This includes fields that are None."""
    job = Job(job_id="7", width=5)
    assert Job(**make(Job.model_json_schema()).round_trip(job)) == job
    ticket = {"type": "object", "properties": {"id": {"type": "integer"}, "open": {"type": "boolean"}}}
    assert Ticket(**make(ticket).round_trip(Ticket(5, open=True))) == Ticket(5, open=True)


def test_null_is_omitted_where_the_field_may_be_text() -> None:
    assert flat_form(Job.model_json_schema()).encoding.write(Job(job_id="7", width=5)) == [
        b"job_id", b"7", b"width", b"5", b"ratio", b"null"
    ]  # fmt: skip


def test_an_entry_of_another_sender_is_a_message() -> None:
    received = json_form().encoding.read([b"data", b'{ "job_id": "7" }'])
    assert (received.value, received.raw, received.own.id) == ({"job_id": "7"}, b'{ "job_id": "7" }', None)


def test_the_first_body_field_counts_wherever_it_is() -> None:
    entry = [b"note", b"data", b"data", b'{"a": 1}', b"data", b'{"a": 2}', b"penstock-key", b"k"]
    received = json_form().encoding.read(entry)
    assert (received.value, received.own.key) == ({"a": 1}, b"k")


def test_the_first_of_two_equal_fields_counts() -> None:
    assert flat_form().encoding.read([b"a", b"1", b"a", b"2"]).value == {"a": "1"}


def test_penstock_fields_are_not_part_of_the_body() -> None:
    """Nor are those of a dead letter and of later versions."""
    entry = [b"a", b"1", *write_own_fields("x"), b"penstock-dead-id", b"1-0", b"penstock-new", b"\xff"]
    received = flat_form({"additionalProperties": False, "properties": {"a": {}}}).encoding.read(entry)
    assert received.value == {"a": "1"}


def test_a_body_of_fields_is_available_as_json() -> None:
    schema = {"properties": {"b": {"type": "integer"}}}
    assert flat_form(schema).encoding.read([b"a", "ä".encode(), b"b", b"7"]).raw == '{"a":"ä","b":7}'.encode()


TYPED: list[tuple[Data, bytes, Any]] = [
    ({"type": "integer"}, b"7", 7),
    ({"type": "integer"}, b" 7 ", 7),
    ({"type": "number"}, b"7.5", 7.5),
    ({"type": "boolean"}, b"true", True),
    ({"type": "null"}, b"null", None),
    ({"type": ["integer", "null"]}, b"null", None),
    ({"type": "array"}, b"[1]", [1]),
    ({"type": "object"}, b'{"a": 1}', {"a": 1}),
    ({"type": "string"}, b"7", "7"),
    ({"type": ["string", "null"]}, b"null", "null"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, b"7", 7),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, b"7", "7"),
    ({"$ref": "#/$defs/number"}, b"7", 7),
    ({"enum": [1, 2]}, b"2", 2),
    ({"enum": ["1", 2]}, b"1", "1"),
    ({"const": True}, b"true", True),
    ({"minimum": 5}, b"7", "7"),
    ({}, b"7", "7"),
]


@pytest.mark.parametrize(("part", "raw", "value"), TYPED)
def test_fields_have_the_type_of_the_schema_or_stay_text(part: Data, raw: bytes, value: Any) -> None:  # noqa: ANN401 - JSON
    schema = {"properties": {"a": part}, "$defs": {"number": {"type": "integer"}}}
    assert flat_form(schema).encoding.read([b"a", raw]).value == {"a": value}


NESTED: dict[str, Data] = {
    "behind a reference": {"$ref": "#/$defs/job", "$defs": {"job": {"properties": {"a": {"type": "integer"}}}}},
    "all of several": {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]},
    "one of several": {"oneOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["b"]}]},
    "under a condition": {"if": {"required": ["a"]}, "then": {"properties": {"a": {"type": "integer"}}}},
    "of all other fields": {"properties": {"b": {}}, "additionalProperties": {"type": "integer"}},
    "recursive": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"properties": {"a": {"type": "integer"}}}]},
}


@pytest.mark.parametrize("schema", NESTED.values(), ids=NESTED)
def test_types_are_found_anywhere_in_the_schema(schema: Data) -> None:
    assert flat_form(schema).encoding.read([b"a", b"7"]).value == {"a": 7}


INTEGER = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "integer"]}}}
JOB = {"type": "object", "required": ["job_id"], "properties": {"job_id": {"type": "string"}}}

UNREADABLE: dict[str, tuple[SomeEncoding, Sequence[bytes], str, str]] = {
    "no field of that name": (json_form(), [b"body", b"hunter2"], "no-body", "the entry has no field `data`"),
    "no field at all": (json_form(), [], "no-body", "the entry has no field `data`"),
    "a value of that name": (json_form(), [b"hunter2", b"data"], "no-body", "the entry has no field `data`"),
    "an empty body": (json_form(), [b"data", b""], "no-body", "the body is empty"),
    "a name that is not UTF-8": (json_form(), [b"\xff", b"hunter2"], "no-body", "the entry has no field `data`"),
    "a missing field": (json_form(JOB), [b"data", b'{"hunter2": 1}'], "schema", "`job_id` is missing"),
    "a wrong type": (json_form(JOB), [b"data", b'{"job_id": 7}'], "schema", "at `job_id`: expected string"),
    "an unknown version": (
        json_form(JOB),
        [b"data", b"hunter2", b"penstock-version", b"2"],
        "newer-version",
        "its version is 2, but this Penstock only knows 1",
    ),
    "too large": (
        json_form(max_size="1Ki"),
        [b"data", b"hunter2" * 200],
        "too-large",
        "the body has 1400 bytes, more than `message.max_size` (1Ki)",
    ),
    "5,000 fields and no body": (
        json_form(),
        [b"hunter2"] * 10_000,
        "no-body",
        "the entry has no field `data`",
    ),
    "fields: a missing field": (flat_form(JOB), [b"hunter2", b"1"], "schema", "`job_id` is missing"),
    "fields: no field at all": (flat_form(JOB), [b"penstock-id", b"x"], "schema", "`job_id` is missing"),
    "fields: not a number": (flat_form(INTEGER), [b"a", b"hunter2"], "schema", "at `a`: expected integer"),
    "fields: more than a number": (flat_form(INTEGER), [b"a", b'1,"b":2'], "schema", "at `a`: expected integer"),
    "fields: NaN": (flat_form(INTEGER), [b"a", b"NaN"], "schema", "at `a`: expected integer"),
    "fields: 1e999": (flat_form(INTEGER), [b"a", b"1e999"], "schema", "at `a`: expected integer"),
    "fields: 10,000 digits": (flat_form(INTEGER), [b"a", b"9" * 10_000], "schema", "at `a`: expected integer"),
    "fields: 10,000 levels": (flat_form(INTEGER), [b"a", b"[" * 10_000], "schema", "at `a`: expected integer"),
    "fields: empty": (flat_form(INTEGER), [b"a", b""], "schema", "at `a`: expected integer"),
    "fields: a name that is not UTF-8": (
        flat_form(),
        [b"a", b"1", b"hunter2\xff", b"1"],
        "not-utf-8",
        "field 2 of the entry is not UTF-8",
    ),
    "fields: a value that is not UTF-8": (
        flat_form(),
        [b"a", b"hunter2\xff"],
        "not-utf-8",
        "field 1 of the entry is not UTF-8",
    ),
    "fields: an unknown version": (
        flat_form(),
        [b"penstock-version", b"hunter2"],
        "version",
        "its version is not a number, but this Penstock only knows 1",
    ),
    "fields: too large together": (
        flat_form(max_size="1Ki"),
        [b"a", b"x" * 600, b"penstock-id", b"y" * 600, b"b", b"hunter2" * 100],
        "too-large",
        "the body has 1302 bytes, more than `message.max_size` (1Ki)",
    ),
    "fields: 5,000 that are not allowed": (
        flat_form({"type": "object", "additionalProperties": False}),
        [part for number in range(5000) for part in (b"hunter2-%d" % number, b"1")],
        "schema",
        "it contains something that the schema does not allow",
    ),
}


@pytest.mark.parametrize(("encoding", "entry", "reason", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_entry_has_one_reason_and_is_not_quoted(
    encoding: SomeEncoding, entry: Sequence[bytes], reason: str, says: str
) -> None:
    with pytest.raises(Unreadable) as error:
        encoding.encoding.read(entry)
    assert (error.value.reason, error.value.says) == (reason, says)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("make", [json_form, flat_form])
def test_an_entry_can_have_thousands_of_fields(make: Any) -> None:  # noqa: ANN401 - one of the two above
    entry = [b"data", b'{"a": 1}', *(part for number in range(5000) for part in (b"f%d" % number, b"\0"))]
    received = make().encoding.read([*entry, b"penstock-key", b"k"])
    assert received.own.key == b"k"
    assert len(received.value) == (1 if make is json_form else 5001)


def test_names_may_contain_nul() -> None:
    assert flat_form().round_trip({"a\0b": "\0"}) == {"a\0b": "\0"}
    assert json_form().round_trip({"a\0b": "\0"}) == {"a\0b": "\0"}


def nested(levels: int) -> Data:
    inner: Any = SECRET
    for _ in range(levels):
        inner = [inner]
    return {"a": inner}


UNSENDABLE: dict[str, tuple[SomeEncoding, object, str, str]] = {
    "too large": (
        json_form(max_size="10"),
        {"a": SECRET},
        "too-large",
        "the body has 15 bytes, more than `message.max_size` (10)",
    ),
    "not valid by the schema": (json_form(JOB), {"job_id": 7}, "schema", "at `job_id`: expected string"),
    "no object": (
        json_form(),
        [SECRET],
        "type",
        "a `list` is not an object; pass a dict, a pydantic model or a dataclass",
    ),
    "NaN": (
        json_form(),
        {SECRET: float("nan")},
        "not-json",
        "the body contains a number that JSON does not have",
    ),
    "nested too deeply": (
        json_form(),
        nested(250),
        "not-json",
        "the body is not valid JSON (recursion limit exceeded, line 1 column 206)",
    ),
    "fields: a reserved name": (
        flat_form(),
        {"penstock-id": SECRET},
        "reserved",
        "names that begin with `penstock-` are reserved for Penstock",
    ),
    "fields: a name that is not text": (
        flat_form(),
        {7: SECRET},
        "type",
        "the name of a field in the body is not a text",
    ),
    "fields: a lone surrogate": (
        flat_form(),
        {"a": "hunter2\ud800"},
        "not-utf-8",
        "the body contains a lone surrogate, which is not a character",
    ),
    "fields: a lone surrogate in a name": (
        flat_form(),
        {"hunter2\ud800": "a"},
        "not-utf-8",
        "the body contains a lone surrogate, which is not a character",
    ),
    "fields: text for a number": (flat_form(INTEGER), {"a": SECRET}, "schema", "at `a`: expected integer"),
    "fields: digits for a number": (flat_form(INTEGER), {"a": "7"}, "schema", "at `a`: expected integer"),
    "fields: read back as text": (
        flat_form(INTEGER),
        {"b": 7},
        "type",
        "at `b`: this field may be text, so workers read text; send text, or omit the field",
    ),
    "fields: not valid by the schema": (flat_form(JOB), {}, "schema", "`job_id` is missing"),
    "fields: nested infinity": (
        flat_form(),
        {"a": [float("inf")]},
        "not-json",
        "the body contains a number that JSON does not have",
    ),
}


@pytest.mark.parametrize(("encoding", "body", "reason", "says"), UNSENDABLE.values(), ids=UNSENDABLE)
def test_a_producer_refuses_unreadable_bodies(encoding: SomeEncoding, body: object, reason: str, says: str) -> None:
    with pytest.raises(Unsendable) as error:
        encoding.encoding.write(body)
    assert (error.value.reason, error.value.says) == (reason, says)
    assert SECRET not in str(error.value)


def test_reserved_names_are_allowed_inside_json() -> None:
    assert json_form().round_trip({"penstock-id": "7"}) == {"penstock-id": "7"}


def test_the_body_is_the_first_field() -> None:
    assert json_form().encoding.write({"a": 1}) == [b"data", b'{"a":1}']
