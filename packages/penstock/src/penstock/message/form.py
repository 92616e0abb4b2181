"""How the body of a message stands in an entry: as JSON in one field, or as one field for each of its own.

Whoever sends and whoever receives ask the same form, and what is about to be sent is read back first: a producer
refuses what a worker could not read, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from pydantic_core import to_json

from penstock.message.body import Value, json_of, plain, text_of, too_large, value_of
from penstock.message.check import Check, check_of
from penstock.message.own import NOTHING, PREFIX, Own, own_of
from penstock.message.unreadable import Unreadable, Unsendable
from penstock_spec.kinds.pipeline.message.flat import FieldTypes
from penstock_spec.kinds.pipeline.stream import JsonField, Message
from penstock_spec.values.quantities import Size
from penstock_spec.values.strings import printable

_MAYBE_TEXT = frozenset({"string", "null"})


class Received(NamedTuple):
    """A message that was read and fits its schema."""

    value: Value
    raw: bytes
    """The body as JSON; as it was sent, where it was sent as JSON."""
    own: Own


class Form(Protocol):
    """One of the two."""

    def read(self, entry: Sequence[bytes]) -> Received:
        """From the names and values of an entry, in turn; raises `Unreadable`."""
        ...

    def write(self, body: object) -> list[bytes]:
        """To names and values, to which Penstock's own fields may be added; raises `Unsendable`."""
        ...

    def unchecked(self) -> Form:
        """The same without a schema."""
        ...


def form_of(message: Message, schema: dict[str, Any]) -> Form:
    """The form that a spec says, with the schema that it names."""
    if isinstance(message.encoding, JsonField):
        return JsonForm(message.encoding.json_.encode(), message.max_size, check_of(schema))
    return FlatForm(FieldTypes.of(schema), message.max_size, check_of(schema))


class JsonForm:
    """The body as JSON in one field. Other fields travel along and say nothing."""

    __slots__ = ("_check", "_max_size", "_name")

    def __init__(self, name: bytes, max_size: Size, check: Check | None) -> None:
        """The field's name; what is checked of the body."""
        self._name = name
        self._max_size = max_size
        self._check = check

    def read(self, entry: Sequence[bytes]) -> Received:
        """Most entries have the body in front, and many have nothing else."""
        own = NOTHING if len(entry) == 2 else own_of(entry)  # noqa: PLR2004 - a name and a value
        raw = entry[1] if entry and entry[0] == self._name else self._find(entry)
        value = value_of(raw, self._max_size)
        if self._check is not None:
            self._check(value)
        return Received(value, raw, own)

    def write(self, body: object) -> list[bytes]:
        """One field."""
        fields = [self._name, text_of(plain(body))]
        _read_back(self, fields)
        return fields

    def unchecked(self) -> JsonForm:
        """The same without a schema."""
        return JsonForm(self._name, self._max_size, None)

    def _find(self, entry: Sequence[bytes]) -> bytes:
        for index in range(0, len(entry) - 1, 2):
            if entry[index] == self._name:
                return entry[index + 1]
        name = printable(self._name.decode())
        raise Unreadable("no-body", f"the entry has no field `{name}`")


class FlatForm:
    """Each field of the body is a field of the entry: texts as they are, everything else as JSON.

    Back comes text. Only where the schema gives a field types, and text is none of them, the value is read as JSON;
    what is none stays text, and the schema refuses it. A null of a field that may be text as well is left out.
    """

    __slots__ = ("_check", "_max_size", "_types")

    def __init__(self, types: FieldTypes, max_size: Size, check: Check | None) -> None:
        """Types of the fields that the schema describes; what is checked of the body."""
        self._types = types
        self._max_size = max_size
        self._check = check

    def read(self, entry: Sequence[bytes]) -> Received:
        """Of a field that stands twice the first counts; Penstock's own are no part of the body."""
        own = own_of(entry)
        value: Value = {}
        size = 0
        for index in range(0, len(entry) - 1, 2):
            name, raw = entry[index], entry[index + 1]
            if name.startswith(PREFIX):
                continue
            size += len(name) + len(raw)
            if size > self._max_size.amount:
                raise too_large(_size(entry), self._max_size)
            try:
                field, text = name.decode(), raw.decode()
            except UnicodeDecodeError:
                raise Unreadable("not-utf-8", f"field {index // 2 + 1} of the entry is not UTF-8") from None
            if field not in value:
                value[field] = self._typed(field, raw, text)
        if self._check is not None:
            self._check(value)
        return Received(value, to_json(value), own)

    def write(self, body: object) -> list[bytes]:
        """One field for each."""
        fields: list[bytes] = []
        for name, value in plain(body).items():
            if not isinstance(name, str):
                raise Unsendable("type", "the name of a field in the body is no text")
            if name.startswith(PREFIX.decode()):
                raise Unsendable("reserved", f"only Penstock's own fields begin with `{PREFIX.decode()}`")
            if value is not None or not _MAYBE_TEXT.issubset(self._types[name]):
                fields += (_utf8(name), self._text(name, value))
        _read_back(self, fields)
        return fields

    def unchecked(self) -> FlatForm:
        """The same without a schema."""
        return FlatForm(self._types, self._max_size, None)

    def _typed(self, name: str, raw: bytes, text: str) -> object:
        types = self._types[name]
        if not types or "string" in types:
            return text
        try:
            return json_of(raw)
        except Unreadable:
            return text

    def _text(self, name: str, value: object) -> bytes:
        types = self._types[name]
        if isinstance(value, str):
            if types and "string" not in types:
                raise Unsendable("schema", f"at `{printable(name)}`: expected {' or '.join(sorted(types))}")
            return _utf8(value)
        if "string" in types:
            says = f"at `{printable(name)}`: what may be text comes back as text; send text, or leave the field out"
            raise Unsendable("type", says)
        return text_of(value)


def _read_back(form: Form, fields: list[bytes]) -> None:
    try:
        form.read(fields)
    except Unreadable as error:
        raise Unsendable(error.reason, error.says) from None


def _size(entry: Sequence[bytes]) -> int:
    return sum(
        len(entry[index]) + len(entry[index + 1])
        for index in range(0, len(entry) - 1, 2)
        if not entry[index].startswith(PREFIX)
    )


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unsendable("not-utf-8", "a text in the body holds half of a character") from None
