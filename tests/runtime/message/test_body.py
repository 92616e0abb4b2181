"""Workers read bodies as they were written; an unreadable body has one reason, which never quotes its content."""

import json
import math
from collections import UserDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, TypedDict
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel

from penstock.message.body import json_of, plain, text_of, value_of
from penstock.message.unreadable import MessageProblem, Unreadable, Unsendable
from penstock_spec.values.quantities import Size

LIMIT = Size("256Ki")
SECRET = b"hunter2"

TEXT = st.text(st.characters(codec="utf-8"), max_size=10)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
BODIES = st.dictionaries(TEXT, PLAIN, max_size=6)


@given(BODIES)
def test_a_written_body_is_read_unchanged(body: dict[str, Any]) -> None:
    assert value_of(text_of(body), LIMIT) == body


@given(BODIES, st.booleans())
def test_json_of_other_writers_is_read(body: dict[str, Any], escaped: bool) -> None:  # noqa: FBT001 - made by hypothesis
    """It may contain whitespace and escaped characters, like the output of Python's `json`."""
    assert value_of(json.dumps(body, ensure_ascii=escaped, indent=1).encode(), LIMIT) == body


@given(st.binary(max_size=40) | st.text('[]{}",:0123456789.eE+-truefalsn \\ud8', max_size=40).map(str.encode))
def test_the_parser_reads_strict_json_only(raw: bytes) -> None:
    """It agrees with Python's parser in strict mode, and raises nothing but `Unreadable`."""
    try:
        value = json_of(raw)
    except Unreadable as error:
        assert error.reason in {"no-body", "not-utf-8", "not-json"}  # noqa: PT017 - a refusal is one of two valid results
        return
    assert json.loads(raw.decode()) == value
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


HOSTILE: dict[str, tuple[bytes, str]] = {
    "0 bytes": (b"", "no-body"),
    "only spaces": (b"  \n", "not-json"),
    "one byte above the limit": (b'{"a": "%s"}' % (SECRET * 40_000)[: LIMIT.amount - 8], "too-large"),
    "NaN": (b'{"hunter2": NaN}', "not-json"),
    "infinity": (b'{"hunter2": -Infinity}', "not-json"),
    "1e999": (b'{"hunter2": 1e999}', "not-json"),
    "-1E+0999": (b'{"hunter2": [{"a": -1.5E+0999}]}', "not-json"),
    "320 digits and a point": (b'{"hunter2": %s.0}' % (b"9" * 320), "not-json"),
    "250 digits and e99": (b'{"hunter2": %se99}' % (b"9" * 250), "not-json"),
    "10,000 digits": (b'{"hunter2": %s}' % (b"9" * 10_000), "not-json"),
    "10,000 lists": (b'{"hunter2": %s%s}' % (b"[" * 10_000, b"]" * 10_000), "not-json"),
    "10,000 objects": (b'{"hunter2": ' * 10_000 + b"1" + b"}" * 10_000, "not-json"),
    "100,000 unclosed lists": (b"[" * 100_000, "not-json"),
    "a byte that is not UTF-8": (b'{"a": "hunter2\xff"}', "not-utf-8"),
    "an overlong character": (b'{"a": "hunter2\xc0\xaf"}', "not-utf-8"),
    "lone surrogate in bytes": (b'{"a": "hunter2\xed\xa0\x80"}', "not-utf-8"),
    "not UTF-8 after the end": (b'{"a": "hunter2"}\xff', "not-utf-8"),
    "UTF-16": ('{"a": "hunter2"}'.encode("utf-16"), "not-utf-8"),
    "UTF-16 without a byte order mark": ('{"a": "hunter2"}'.encode("utf-16-le"), "not-json"),
    "a byte order mark": (b'\xef\xbb\xbf{"a": "hunter2"}', "not-json"),
    "first half of a character": (b'{"a": "hunter2\\ud800"}', "not-json"),
    "second half of a character": (b'{"a": "hunter2\\udc00"}', "not-json"),
    "lone surrogate in a key": (b'{"hunter2\\ud800": 1}', "not-json"),
    "NUL in a key": (b'{"hunter2\x00": 1}', "not-json"),
    "a line break in a text": (b'{"a": "hunter2\n"}', "not-json"),
    "cut short": (b'{"a": "hunter2', "not-json"),
    "two": (b'{"a": 1} {"b": "hunter2"}', "not-json"),
    "no JSON": (b"hunter2", "not-json"),
    "a key without quotes": (b"{hunter2: 1}", "not-json"),
    "a comma too many": (b'{"a": "hunter2",}', "not-json"),
    "pickle": (b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07hunter2\x94.", "not-utf-8"),
    "a list": (b'["hunter2"]', "schema"),
    "a text": (b'"hunter2"', "schema"),
    "a number": (b"7", "schema"),
    "a fraction": (b"7.5", "schema"),
    "true": (b"true", "schema"),
    "null": (b"null", "schema"),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_an_unreadable_body_has_one_reason_and_is_not_quoted(raw: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as error:
        value_of(raw, LIMIT)
    assert error.value.reason == reason
    assert SECRET.decode() not in str(error.value)
    assert len(str(error.value)) < 200
    assert error.value.__cause__ is None


def test_a_body_at_the_limit_is_read() -> None:
    raw = b'{"a": "%s"}' % (b"x" * (LIMIT.amount - 9))
    assert len(raw) == LIMIT.amount
    assert value_of(raw, LIMIT)["a"].startswith("xxx")


def test_the_error_shows_the_limit_as_in_the_spec() -> None:
    with pytest.raises(Unreadable) as error:
        value_of(b'{"a": 12345}', Size("10"))
    assert str(error.value) == "too-large: the body has 12 bytes, more than `message.max_size` (10)"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"a\\u0000": "\\u0000"}', {"a\0": "\0"}),
        (b'{"a": 1e308, "b": "1e999", "c": "' + b"9" * 300 + b'"}', {"a": 1e308, "b": "1e999", "c": "9" * 300}),
        (b'{"a": 1e-999}', {"a": 0.0}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        (b'{"a": %s}' % (b"9" * 4000), {"a": 10**4000 - 1}),
        (b'{"": ' + b"[" * 150 + b"]" * 150 + b"}", None),
    ],
    ids=["last of two keys", "NUL escaped", "large in texts", "too small", "a pair", "4,000 digits", "150 levels"],
)
def test_unusual_but_valid_json_is_read(raw: bytes, value: dict[str, Any] | None) -> None:
    assert value_of(raw, LIMIT) == (json.loads(raw) if value is None else value)


def cyclic() -> dict[str, Any]:
    one: dict[str, Any] = {"secret": "hunter2"}
    one["itself"] = one
    return one


def deep() -> dict[str, Any]:
    inner: list[Any] = []
    for _ in range(10_000):
        inner = [inner]
    return {"hunter2": inner}


class Colour(Enum):
    RED = "hunter2"


@pytest.mark.parametrize(
    ("body", "reason", "says"),
    [
        ({"hunter2": math.nan}, "not-json", "the body contains a number that JSON does not have"),
        ({"hunter2": math.inf}, "not-json", "the body contains a number that JSON does not have"),
        ({"hunter2": 10**5000}, "not-json", "the body contains a number that JSON does not have"),
        ({"hunter2\ud800": 1}, "not-utf-8", "the body contains a lone surrogate, which is not a character"),
        ({("hunter2",): 1}, "type", "a key in the body is not a text"),
        (cyclic(), "not-json", "the body contains itself"),
        (deep(), "not-json", "the body is nested too deeply"),
        (
            {"hunter2": datetime(2027, 1, 31, tzinfo=UTC)},
            "type",
            "a `datetime` is not a JSON type; pass a model, or convert it to text",
        ),
        (
            {"hunter2": UUID(int=5)},
            "type",
            "a `UUID` is not a JSON type; pass a model, or convert it to text",
        ),
        ({"a": Colour.RED}, "type", "a `Colour` is not a JSON type; pass a model, or convert it to text"),
        ({"a": b"hunter2"}, "type", "a `bytes` is not a JSON type; pass a model, or convert it to text"),
        ({"a": Decimal(1)}, "type", "a `Decimal` is not a JSON type; pass a model, or convert it to text"),
    ],
    ids=["nan", "inf", "digits", "half", "key", "circle", "deep", "datetime", "uuid", "enum", "bytes", "decimal"],
)
def test_a_body_that_is_not_json_is_refused_with_the_cause(body: dict[Any, Any], reason: str, says: str) -> None:
    with pytest.raises(Unsendable) as error:
        text_of(body)
    assert (error.value.reason, error.value.says) == (reason, says)


def test_json_is_compact_and_not_escaped() -> None:
    assert text_of({"a": [1, "ä😀"], "b": None}) == '{"a":[1,"ä😀"],"b":null}'.encode()


class Model(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    id: UUID
    when: datetime
    named: str = Field(alias="other-name")


@dataclass
class Inner:
    when: datetime


@dataclass
class Data:
    id: UUID
    inner: list[Inner] = field(default_factory=list)


class Typed(TypedDict):
    a: int


WHEN = datetime(2027, 1, 31, 12, tzinfo=UTC)
VALID_BODIES: dict[str, tuple[object, dict[str, Any]]] = {
    "a dict": ({"a": 1}, {"a": 1}),
    "a TypedDict": (Typed(a=1), {"a": 1}),
    "a mapping": (UserDict({"a": 1}), {"a": 1}),
    "a model": (
        Model.model_validate({"id": UUID(int=5), "when": WHEN, "other-name": "x"}),
        {"id": "00000000-0000-0000-0000-000000000005", "when": "2027-01-31T12:00:00Z", "other-name": "x"},
    ),
    "a dataclass": (
        Data(UUID(int=5), [Inner(WHEN)]),
        {"id": "00000000-0000-0000-0000-000000000005", "inner": [{"when": "2027-01-31T12:00:00Z"}]},
    ),
    "a root model": (RootModel[dict[str, int]]({"a": 1}), {"a": 1}),
}


@pytest.mark.parametrize(("body", "value"), VALID_BODIES.values(), ids=VALID_BODIES)
def test_a_body_may_be_a_dict_a_model_or_a_dataclass(body: object, value: dict[str, Any]) -> None:
    assert plain(body) == value


class Items(RootModel[list[int]]):
    pass


class Holds(BaseModel):
    it: object = None


def cyclic_model() -> Holds:
    one = Holds()
    one.it = one
    return one


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ([1], "a `list` is not an object; pass a dict, a pydantic model or a dataclass"),
        ("hunter2", "a `str` is not an object; pass a dict, a pydantic model or a dataclass"),
        (b"{}", "a `bytes` is not an object; pass a dict, a pydantic model or a dataclass"),
        (None, "a `NoneType` is not an object; pass a dict, a pydantic model or a dataclass"),
        (Data, "a `type` is not an object; pass a dict, a pydantic model or a dataclass"),
        (Items([1]), "a `Items` is not an object; pass a dict, a pydantic model or a dataclass"),
        (Holds(it=object()), "the `Holds` contains something that cannot be written as JSON"),
        (cyclic_model(), "the `Holds` contains something that cannot be written as JSON"),
    ],
    ids=["list", "text", "bytes", "nothing", "class", "root model", "thing", "circle"],
)  # fmt: skip
def test_a_refused_body_lists_the_valid_types(body: object, says: str) -> None:
    with pytest.raises(Unsendable) as error:
        plain(body)
    assert (error.value.reason, error.value.says) == ("type", says)


def test_a_model_with_a_wrong_value_causes_no_warning() -> None:
    """Pydantic's warning would quote the value; the schema refuses it without quoting it."""
    values: dict[str, Any] = {"id": "hunter2", "when": 5, "named": "x"}
    assert plain(Model.model_construct(**values))["id"] == "hunter2"


class Measured(BaseModel):
    value: float


def test_nan_in_a_model_is_refused() -> None:
    """Pydantic would write it as null."""
    with pytest.raises(Unsendable):
        text_of(plain(Measured(value=math.nan)))


def test_both_errors_have_a_reason_and_a_sentence() -> None:
    for kind in (Unreadable, Unsendable):
        one: MessageProblem = kind("schema", "expected integer")
        assert (one.reason, one.says, str(one)) == ("schema", "expected integer", "schema: expected integer")
