"""A handler receives the type of its parameter; type errors never quote the body."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, NewType, Protocol, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator
from typing_extensions import TypeAliasType
from typing_extensions import TypedDict as OtherTypedDict

from penstock.handling.typed import maker
from penstock.message.body import value_of
from penstock.message.encoding import Received
from penstock.message.penstock_fields import NOTHING
from penstock.message.unreadable import Unreadable
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.quantities import Size

RAW = b'{"id": "00000000-0000-0000-0000-000000000005", "when": "2027-01-31T12:00:00Z", "pages": [1, 2]}'
ID = UUID(int=5)
WHEN = datetime(2027, 1, 31, 12, tzinfo=UTC)


def received(raw: bytes = RAW) -> Received:
    return Received(value_of(raw, Size("1Mi")), raw, NOTHING)


class Typed(TypedDict):
    id: str


class OtherTyped(OtherTypedDict):
    id: str


Named = NewType("Named", dict[str, Any])
Aliased = TypeAliasType("Aliased", Mapping[str, Any])


@pytest.mark.parametrize(
    "takes",
    [
        Any,
        object,
        dict,
        dict[str, Any],
        dict[str, int],
        Mapping[str, Any],
        MutableMapping[str, Any],
        Typed,
        OtherTyped,
        Annotated[dict[str, Any], "note"],
        Annotated[Typed, "note"],
        Named,
        Aliased,
    ],
    ids=str,
)
def test_a_dict_is_passed_on_without_a_copy(takes: object) -> None:
    one = received()
    assert maker(takes, "media:handle")(one) is one.value


def test_bytes_are_the_body_as_sent() -> None:
    one = received()
    assert maker(bytes, "media:handle")(one) is one.raw


class Model(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: UUID
    when: datetime


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    id: UUID
    when: datetime
    pages: tuple[int, ...]


@dataclass
class Inner:
    a: int


@dataclass
class Data:
    id: UUID
    pages: list[int]
    inner: Inner | None = None


def test_a_model_is_created() -> None:
    assert maker(Model, "media:handle")(received()) == Model(id=ID, when=WHEN)


def test_a_strict_model_takes_dates_and_ids() -> None:
    assert maker(Strict, "media:handle")(received()) == Strict(id=ID, when=WHEN, pages=(1, 2))


def test_a_dataclass_is_created_with_nested_ones() -> None:
    raw = b'{"id": "00000000-0000-0000-0000-000000000005", "pages": [1], "inner": {"a": 7}}'
    assert maker(Data, "media:handle")(received(raw)) == Data(ID, [1], Inner(7))


def test_a_union_is_created() -> None:
    make = maker(Annotated[Model | Data, Field(union_mode="left_to_right")], "media:handle")
    assert make(received()) == Model(id=ID, when=WHEN)
    assert make(received(b'{"id": "00000000-0000-0000-0000-000000000005", "pages": []}')) == Data(ID, [])


class Pages(BaseModel):
    url: str
    pages: list[int] = []
    counts: dict[str, int] = {}
    either: int | Inner | None = None
    other: str | None = Field(default=None, alias="other-name")

    @field_validator("url")
    @classmethod
    def check_url(cls, url: str) -> str:
        if not url.startswith("http"):
            raise ValueError(f"{url} is not an address")
        return url


WRONG = [
    (b"{}", "at `url`: missing"),
    (b'{"url": "hunter2"}', "at `url`: value_error"),
    (b'{"url": "http:", "pages": [1, "hunter2"]}', "at `pages[1]`: int_parsing"),
    (b'{"url": "http:", "counts": {"hunter2": "hunter2"}}', "at `counts.*`: int_parsing"),
    (b'{"url": "http:", "counts": {"491701234567": "hunter2"}}', "at `counts.*`: int_parsing"),
    (b'{"url": "http:", "other-name": 5}', "at `other-name`: string_type"),
    (b'{"url": "http:", "either": {"a": "hunter2"}}', "at `either`: int_type; at `either.a`: int_parsing"),
    (
        b'{"pages": ["hunter2", "hunter2", "hunter2", "hunter2"]}',
        "at `url`: missing; at `pages[0]`: int_parsing; at `pages[1]`: int_parsing; and 2 more",
    ),
]


@pytest.mark.parametrize(("raw", "says"), WRONG)
def test_an_error_shows_place_and_kind(raw: bytes, says: str) -> None:
    with pytest.raises(Unreadable) as raised:
        maker(Pages, "media:handle")(received(raw))
    assert (raised.value.reason, raised.value.says) == ("type", says)
    assert raised.value.__suppress_context__


class CustomType:
    """A type with its own validation, which pydantic cannot describe."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:  # noqa: ANN401 - pydantic's
        from pydantic_core import core_schema  # noqa: PLC0415 - only this class needs it

        return core_schema.typed_dict_schema(
            {"hunter2": core_schema.typed_dict_field(core_schema.is_instance_schema(CustomType))}
        )


def test_field_names_that_are_not_in_the_code_are_not_shown() -> None:
    with pytest.raises(Unreadable) as raised:
        maker(CustomType, "media:handle")(received(b'{"hunter2": 5}'))
    assert raised.value.says == "at `*`: needs_python_object"


class Fails(BaseModel):
    id: str

    @field_validator("id")
    @classmethod
    def check_id(cls, _id: str) -> str:
        raise RuntimeError("the database is away")


def test_an_exception_in_a_model_is_a_failed_attempt() -> None:
    """It may be temporary, so the message is not unreadable."""
    with pytest.raises(RuntimeError, match="the database is away"):
        maker(Fails, "media:handle")(received())


class Needs(Protocol):
    id: str


class NotReady(BaseModel):
    it: "Nowhere"  # type: ignore[name-defined]  # noqa: F821 - the test needs a missing type


HERE = "tests.runtime.handling.test_typed"
NO_BODY = "but the body of a message is an object"
CANNOT = "which cannot be created from a body"
REFUSED: list[tuple[object, str]] = [
    (str, f"`media:handle` takes a `str`, {NO_BODY}"),
    (list[int], f"`media:handle` takes a `list[int]`, {NO_BODY}"),
    (None, f"`media:handle` takes a `None`, {NO_BODY}"),
    (
        Needs,
        f"`media:handle` takes a `Needs`, {CANNOT}: Unable to generate pydantic-core schema for <class '{HERE}.Needs'>",
    ),
    (
        NotReady,
        f"`media:handle` takes a `NotReady`, {CANNOT}: `TypeAdapter[<class '{HERE}.NotReady'>]` is not fully defined",
    ),
]


@pytest.mark.parametrize(("takes", "says"), REFUSED)
def test_an_impossible_type_is_refused_at_the_start(takes: object, says: str) -> None:
    with pytest.raises(CannotGoOn) as raised:
        maker(takes, "media:handle")
    assert raised.value.says.startswith(says)
    assert raised.value.hint.startswith("let it take a dict, a TypedDict, a dataclass")


def test_a_root_model_of_a_mapping_is_created() -> None:
    assert maker(RootModel[dict[str, Any]], "media:handle")(received()).root["pages"] == [1, 2]
