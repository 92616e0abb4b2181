"""Creates a handler's argument from a checked body: a model, a dataclass, the dict itself, or the bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from penstock.message.encoding import Received
from penstock.message.error_path import at, error_path, field_names
from penstock.message.unreadable import Unreadable
from penstock_spec.findings import CannotGoOn

Make: TypeAlias = Callable[[Received], Any]

_PLAIN = (Any, object, dict, Mapping, MutableMapping)
_NOT_OBJECTS = (str, int, float, bool, list, tuple, set, frozenset, type(None), None)
_MAX_SHOWN = 3


def maker(takes: Any, handler: str) -> Make:  # noqa: ANN401 - any type expression
    """Return a function that creates arguments of this type. Dicts are passed on: the schema has checked them."""
    plain = _stripped(takes)
    if plain is bytes:
        return _raw
    if plain in _PLAIN or _is_typed_dict(plain):
        return _value
    if plain in _NOT_OBJECTS:
        says = f"`{handler}` takes a `{_type_name(takes)}`, but the body of a message is an object"
        raise CannotGoOn(says, "let it take a dict, a TypedDict, a dataclass, a pydantic model, or the `bytes`")
    try:
        return _Typed(TypeAdapter(takes))
    except PydanticUserError as error:
        reason = error.message.partition(". ")[0]
        says = f"`{handler}` takes a `{_type_name(takes)}`, which cannot be created from a body: {reason}"
        raise CannotGoOn(says, "let it take a dict, a TypedDict, a dataclass or a pydantic model") from None


class _Typed:
    """Creates arguments by pydantic from the body's JSON, so that strict models accept dates and UUIDs."""

    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        self._adapter = adapter
        self._validate = adapter.validator.validate_json

    def __call__(self, received: Received) -> Any:  # noqa: ANN401 - the type that the handler takes
        try:
            return self._validate(received.raw)
        except ValidationError as error:
            raise Unreadable("type", self._describe(error, received.value)) from None

    def _describe(self, error: ValidationError, value: object) -> str:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        shown = [f"{at(error_path(value, one['loc'], self._known))}{one['type']}" for one in errors[:_MAX_SHOWN]]
        more = len(errors) - len(shown)
        return "; ".join(shown) + (f"; and {more} more" if more else "")

    @cached_property
    def _known(self) -> frozenset[str]:
        """Field names from the code, which messages may quote; computed on demand."""
        try:
            return field_names(self._adapter.json_schema())
        except Exception:  # noqa: BLE001 - a team's type may create its schema itself, or have none
            return frozenset()


def _raw(received: Received) -> bytes:
    return received.raw


def _value(received: Received) -> dict[str, Any]:
    return received.value


def _stripped(takes: object) -> object:
    """The type without `Annotated`, parameters and aliases."""
    while True:
        if get_origin(takes) is Annotated:
            takes = get_args(takes)[0]
        elif hasattr(takes, "__supertype__"):
            takes = takes.__supertype__
        elif hasattr(takes, "__value__"):
            takes = takes.__value__
        else:
            return get_origin(takes) or takes


def _is_typed_dict(takes: object) -> bool:
    """Whether it is a TypedDict of `typing` or `typing_extensions`, which are different classes."""
    return isinstance(takes, type) and issubclass(takes, dict) and hasattr(takes, "__required_keys__")


def _type_name(takes: object) -> str:
    return takes.__qualname__ if isinstance(takes, type) else str(takes)
