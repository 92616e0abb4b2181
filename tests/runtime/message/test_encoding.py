"""Entries: what a producer writes a worker reads, and what anybody writes is a message or says why it is none."""

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

SENT = "hunter2"
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
    """An encoding, by what a spec says."""

    def __init__(self, encoding: Any, schema: Data | None = None, **more: Any) -> None:  # noqa: ANN401 - as in a spec
        schema = {"type": "object"} if schema is None else schema
        message = Message.model_validate({"encoding": encoding, "schema": schema, **more})
        self.encoding = encoding_of(message, schema)

    def there_and_back(self, body: object) -> Data:
        return self.encoding.read([*self.encoding.write(body), *write_own_fields("01ARZ3NDEKTSV4RRFFQ69G5FAV")]).value


def json_form(schema: Data | None = None, **more: Any) -> SomeEncoding:  # noqa: ANN401 - as in a spec
    return SomeEncoding({"json": "data"}, schema, **more)


def flat_form(schema: Data | None = None, **more: Any) -> SomeEncoding:  # noqa: ANN401 - as in a spec
    return SomeEncoding("fields", schema, **more)


@given(st.dictionaries(TEXT, PLAIN, max_size=5))
def test_as_json_any_body_comes_back(body: Data) -> None:
    assert json_form().there_and_back(body) == body


@st.composite
def described(draw: st.DrawFn) -> tuple[Data, Data]:
    """A schema, and a body that fits it."""
    types = draw(st.dictionaries(NAME, st.sampled_from([*VALUES]), max_size=5))
    schema = {"type": "object", "properties": {name: {"type": kind} for name, kind in types.items()}}
    return schema, {name: draw(VALUES[kind]) for name, kind in types.items()}


@given(described())
def test_as_fields_a_body_comes_back_where_its_types_are_described(pair: tuple[Data, Data]) -> None:
    schema, body = pair
    assert flat_form(schema).there_and_back(body) == body


@given(st.dictionaries(NAME, TEXT, max_size=5))
def test_as_fields_text_needs_no_description(body: Data) -> None:
    assert flat_form().there_and_back(body) == body


@given(st.dictionaries(NAME, PLAIN, max_size=5), st.dictionaries(NAME, st.sampled_from([*VALUES]), max_size=5))
def test_as_fields_nothing_that_is_described_comes_back_as_something_else(body: Data, types: dict[str, str]) -> None:
    """What would is refused. What nobody has described comes back as text."""
    encoding = flat_form({"properties": {name: {"type": kind} for name, kind in types.items()}})
    try:
        back = encoding.there_and_back(body)
    except Unsendable as error:
        assert error.reason in {"schema", "type"}  # noqa: PT017 - a refusal is one of two good ends
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
def test_a_model_comes_back_as_what_it_was(make: Any) -> None:  # noqa: ANN401 - one of the two above
    """Also one with fields that are nothing."""
    job = Job(job_id="7", width=5)
    assert Job(**make(Job.model_json_schema()).there_and_back(job)) == job
    ticket = {"type": "object", "properties": {"id": {"type": "integer"}, "open": {"type": "boolean"}}}
    assert Ticket(**make(ticket).there_and_back(Ticket(5, open=True))) == Ticket(5, open=True)


def test_null_has_no_text_and_is_left_out_where_text_may_stand() -> None:
    assert flat_form(Job.model_json_schema()).encoding.write(Job(job_id="7", width=5)) == [
        b"job_id", b"7", b"width", b"5", b"ratio", b"null"
    ]  # fmt: skip


def test_anyones_entry_is_a_message() -> None:
    received = json_form().encoding.read([b"data", b'{ "job_id": "7" }'])
    assert (received.value, received.raw, received.own.id) == ({"job_id": "7"}, b'{ "job_id": "7" }', None)


def test_the_body_may_stand_anywhere_and_the_first_counts() -> None:
    entry = [b"note", b"data", b"data", b'{"a": 1}', b"data", b'{"a": 2}', b"penstock-key", b"k"]
    received = json_form().encoding.read(entry)
    assert (received.value, received.own.key) == ({"a": 1}, b"k")


def test_of_a_field_that_stands_twice_the_first_counts() -> None:
    assert flat_form().encoding.read([b"a", b"1", b"a", b"2"]).value == {"a": "1"}


def test_own_fields_are_no_part_of_a_body_of_fields() -> None:
    """Also those of a dead letter, and those that a later version may bring."""
    entry = [b"a", b"1", *write_own_fields("x"), b"penstock-dead-id", b"1-0", b"penstock-new", b"\xff"]
    received = flat_form({"additionalProperties": False, "properties": {"a": {}}}).encoding.read(entry)
    assert received.value == {"a": "1"}


def test_a_body_of_fields_can_be_had_as_json() -> None:
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
def test_types_are_those_of_the_schema_and_else_text_stays_text(part: Data, raw: bytes, value: Any) -> None:  # noqa: ANN401 - JSON
    schema = {"properties": {"a": part}, "$defs": {"number": {"type": "integer"}}}
    assert flat_form(schema).encoding.read([b"a", raw]).value == {"a": value}


WHOLE: dict[str, Data] = {
    "behind a reference": {"$ref": "#/$defs/job", "$defs": {"job": {"properties": {"a": {"type": "integer"}}}}},
    "put together": {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]},
    "one of several": {"oneOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["b"]}]},
    "where something holds": {"if": {"required": ["a"]}, "then": {"properties": {"a": {"type": "integer"}}}},
    "of all other fields": {"properties": {"b": {}}, "additionalProperties": {"type": "integer"}},
    "in a circle": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"properties": {"a": {"type": "integer"}}}]},
}


@pytest.mark.parametrize("schema", WHOLE.values(), ids=WHOLE)
def test_fields_are_described_wherever_a_schema_speaks_of_the_body(schema: Data) -> None:
    assert flat_form(schema).encoding.read([b"a", b"7"]).value == {"a": 7}


INTEGER = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "integer"]}}}
JOB = {"type": "object", "required": ["job_id"], "properties": {"job_id": {"type": "string"}}}

UNREADABLE: dict[str, tuple[SomeEncoding, Sequence[bytes], str, str]] = {
    "no field of that name": (json_form(), [b"body", b"hunter2"], "no-body", "the entry has no field `data`"),
    "no field at all": (json_form(), [], "no-body", "the entry has no field `data`"),
    "a value of that name": (json_form(), [b"hunter2", b"data"], "no-body", "the entry has no field `data`"),
    "an empty body": (json_form(), [b"data", b""], "no-body", "the body is empty"),
    "a name that is no UTF-8": (json_form(), [b"\xff", b"hunter2"], "no-body", "the entry has no field `data`"),
    "a missing field": (json_form(JOB), [b"data", b'{"hunter2": 1}'], "schema", "`job_id` is missing"),
    "a wrong type": (json_form(JOB), [b"data", b'{"job_id": 7}'], "schema", "at `job_id`: expected string"),
    "an unknown version": (
        json_form(JOB),
        [b"data", b"hunter2", b"penstock-version", b"2"],
        "version",
        "its version is 2, and this Penstock knows only 1",
    ),
    "too large": (
        json_form(max_size="1Ki"),
        [b"data", b"hunter2" * 200],
        "too-large",
        "the body has 1400 bytes, and `message.max_size` is 1Ki",
    ),
    "5,000 fields and no body": (
        json_form(),
        [b"hunter2"] * 10_000,
        "no-body",
        "the entry has no field `data`",
    ),
    "fields: a missing field": (flat_form(JOB), [b"hunter2", b"1"], "schema", "`job_id` is missing"),
    "fields: no field at all": (flat_form(JOB), [b"penstock-id", b"x"], "schema", "`job_id` is missing"),
    "fields: no number": (flat_form(INTEGER), [b"a", b"hunter2"], "schema", "at `a`: expected integer"),
    "fields: more than a number": (flat_form(INTEGER), [b"a", b'1,"b":2'], "schema", "at `a`: expected integer"),
    "fields: NaN": (flat_form(INTEGER), [b"a", b"NaN"], "schema", "at `a`: expected integer"),
    "fields: 1e999": (flat_form(INTEGER), [b"a", b"1e999"], "schema", "at `a`: expected integer"),
    "fields: 10,000 digits": (flat_form(INTEGER), [b"a", b"9" * 10_000], "schema", "at `a`: expected integer"),
    "fields: 10,000 levels": (flat_form(INTEGER), [b"a", b"[" * 10_000], "schema", "at `a`: expected integer"),
    "fields: empty": (flat_form(INTEGER), [b"a", b""], "schema", "at `a`: expected integer"),
    "fields: a name that is no UTF-8": (
        flat_form(),
        [b"a", b"1", b"hunter2\xff", b"1"],
        "not-utf-8",
        "field 2 of the entry is not UTF-8",
    ),
    "fields: a value that is no UTF-8": (
        flat_form(),
        [b"a", b"hunter2\xff"],
        "not-utf-8",
        "field 1 of the entry is not UTF-8",
    ),
    "fields: an unknown version": (
        flat_form(),
        [b"penstock-version", b"hunter2"],
        "version",
        "its version is not a number, and this Penstock knows only 1",
    ),
    "fields: too large together": (
        flat_form(max_size="1Ki"),
        [b"a", b"x" * 600, b"penstock-id", b"y" * 600, b"b", b"hunter2" * 100],
        "too-large",
        "the body has 1302 bytes, and `message.max_size` is 1Ki",
    ),
    "fields: 5,000, of which none is allowed": (
        flat_form({"type": "object", "additionalProperties": False}),
        [part for number in range(5000) for part in (b"hunter2-%d" % number, b"1")],
        "schema",
        "it contains something that the schema does not allow",
    ),
}


@pytest.mark.parametrize(("encoding", "entry", "reason", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_has_one_reason_and_quotes_nothing(
    encoding: SomeEncoding, entry: Sequence[bytes], reason: str, says: str
) -> None:
    with pytest.raises(Unreadable) as told:
        encoding.encoding.read(entry)
    assert (told.value.reason, told.value.says) == (reason, says)
    assert SENT not in str(told.value)


@pytest.mark.parametrize("make", [json_form, flat_form])
def test_five_thousand_fields_are_no_obstacle(make: Any) -> None:  # noqa: ANN401 - one of the two above
    entry = [b"data", b'{"a": 1}', *(part for number in range(5000) for part in (b"f%d" % number, b"\0"))]
    received = make().encoding.read([*entry, b"penstock-key", b"k"])
    assert received.own.key == b"k"
    assert len(received.value) == (1 if make is json_form else 5001)


def test_names_with_nul_are_names() -> None:
    assert flat_form().there_and_back({"a\0b": "\0"}) == {"a\0b": "\0"}
    assert json_form().there_and_back({"a\0b": "\0"}) == {"a\0b": "\0"}


def nested(levels: int) -> Data:
    inner: Any = SENT
    for _ in range(levels):
        inner = [inner]
    return {"a": inner}


UNSENDABLE: dict[str, tuple[SomeEncoding, object, str, str]] = {
    "too large": (
        json_form(max_size="10"),
        {"a": SENT},
        "too-large",
        "the body has 15 bytes, and `message.max_size` is 10",
    ),
    "not what the schema says": (json_form(JOB), {"job_id": 7}, "schema", "at `job_id`: expected string"),
    "no object": (
        json_form(),
        [SENT],
        "type",
        "a `list` is not an object; pass a dict, a pydantic model or a dataclass",
    ),
    "NaN": (
        json_form(),
        {SENT: float("nan")},
        "not-json",
        "the body contains a number that JSON does not have",
    ),
    "deeper than is read": (
        json_form(),
        nested(250),
        "not-json",
        "recursion limit exceeded at line 1 column 206",
    ),
    "fields: a name of ours": (
        flat_form(),
        {"penstock-id": SENT},
        "reserved",
        "names that begin with `penstock-` are reserved for Penstock",
    ),
    "fields: a name that is no text": (flat_form(), {7: SENT}, "type", "the name of a field in the body is not a text"),
    "fields: half of a character": (
        flat_form(),
        {"a": "hunter2\ud800"},
        "not-utf-8",
        "a text in the body contains half a character (a lone surrogate)",
    ),
    "fields: half of a character in a name": (
        flat_form(),
        {"hunter2\ud800": "a"},
        "not-utf-8",
        "a text in the body contains half a character (a lone surrogate)",
    ),
    "fields: text for a number": (flat_form(INTEGER), {"a": SENT}, "schema", "at `a`: expected integer"),
    "fields: digits for a number": (flat_form(INTEGER), {"a": "7"}, "schema", "at `a`: expected integer"),
    "fields: what would come back as text": (
        flat_form(INTEGER),
        {"b": 7},
        "type",
        "at `b`: this field may be text, so workers read text; send text, or omit the field",
    ),
    "fields: not what the schema says": (flat_form(JOB), {}, "schema", "`job_id` is missing"),
    "fields: a nested number that is none": (
        flat_form(),
        {"a": [float("inf")]},
        "not-json",
        "the body contains a number that JSON does not have",
    ),
}


@pytest.mark.parametrize(("encoding", "body", "reason", "says"), UNSENDABLE.values(), ids=UNSENDABLE)
def test_a_producer_refuses_what_no_worker_could_read(
    encoding: SomeEncoding, body: object, reason: str, says: str
) -> None:
    with pytest.raises(Unsendable) as told:
        encoding.encoding.write(body)
    assert (told.value.reason, told.value.says) == (reason, says)
    assert SENT not in str(told.value)


def test_names_of_ours_are_free_inside_json() -> None:
    assert json_form().there_and_back({"penstock-id": "7"}) == {"penstock-id": "7"}


def test_the_body_stands_in_front_so_that_reading_finds_it_at_once() -> None:
    assert json_form().encoding.write({"a": 1}) == [b"data", b'{"a":1}']
