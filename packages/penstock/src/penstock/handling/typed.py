"""From a checked body to what a handler takes: a model, a dataclass, the dict as it is, or the bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from penstock.message.form import Received
from penstock.message.unreadable import Unreadable
from penstock.message.where import at, names_in, where
from penstock_spec.findings import CannotGoOn

Make: TypeAlias = Callable[[Received], Any]

_AS_THEY_ARE = (Any, object, dict, Mapping, MutableMapping)
_NO_OBJECTS = (str, int, float, bool, list, tuple, set, frozenset, type(None), None)
_MOST_TOLD = 3


def maker(takes: Any, handler: str) -> Make:  # noqa: ANN401 - any type expression
    """What makes the argument of this type. Dicts and TypedDicts are what the schema has checked, and cost nothing."""
    plain = _stripped(takes)
    if plain is bytes:
        return _raw
    if plain in _AS_THEY_ARE or _is_typed_dict(plain):
        return _value
    if plain in _NO_OBJECTS:
        says = f"`{handler}` takes a `{_shown(takes)}`, and the body of a message is an object"
        raise CannotGoOn(says, "let it take a dict, a TypedDict, a dataclass, a pydantic model, or the `bytes`")
    try:
        return _Typed(TypeAdapter(takes))
    except PydanticUserError as error:
        says = (
            f"`{handler}` takes a `{_shown(takes)}`, which cannot be made of a body: {error.message.partition('. ')[0]}"
        )
        raise CannotGoOn(says, "let it take a dict, a TypedDict, a dataclass or a pydantic model") from None


class _Typed:
    """Makes what pydantic can make. From the body's JSON, so that strict models take dates and ids as well."""

    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        self._adapter = adapter
        self._validate = adapter.validator.validate_json

    def __call__(self, received: Received) -> Any:  # noqa: ANN401 - what the handler takes
        try:
            return self._validate(received.raw)
        except ValidationError as error:
            raise Unreadable("type", self._told(error, received.value)) from None

    def _told(self, error: ValidationError, value: object) -> str:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        told = [f"{at(where(value, one['loc'], self._known))}{one['type']}" for one in errors[:_MOST_TOLD]]
        more = len(errors) - len(told)
        return "; ".join(told) + (f"; and {more} more" if more else "")

    @cached_property
    def _known(self) -> frozenset[str]:
        """Names of fields that may be told, because they stand in the code; reckoned when the first one is needed."""
        try:
            return names_in(self._adapter.json_schema())
        except Exception:  # noqa: BLE001 - a type of the team's own makes its schema itself, or has none
            return frozenset()


def _raw(received: Received) -> bytes:
    return received.raw


def _value(received: Received) -> dict[str, Any]:
    return received.value


def _stripped(takes: object) -> object:
    """Without what says nothing of the kind: `Annotated`, parameters, names for types."""
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
    """From `typing` or `typing_extensions`, whose classes know nothing of each other."""
    return isinstance(takes, type) and issubclass(takes, dict) and hasattr(takes, "__required_keys__")


def _shown(takes: object) -> str:
    return takes.__qualname__ if isinstance(takes, type) else str(takes)
