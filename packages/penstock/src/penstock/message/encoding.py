"""Encodes a body in an entry: as JSON in one field, or with one entry field per field of the body.

Senders and receivers use the same code. A producer reads each message back before it sends it, so it refuses exactly
those that a worker could not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from pydantic_core import to_json

from penstock.message.body import Value, json_of, plain, text_of, too_large, value_of
from penstock.message.check import SchemaCheck, schema_check_of
from penstock.message.penstock_fields import NOTHING, PREFIX, PenstockFields, own_fields_of
from penstock.message.unreadable import Unreadable, Unsendable
from penstock_spec.kinds.pipeline.message.flat import FieldTypes
from penstock_spec.kinds.pipeline.stream import JsonField, Message
from penstock_spec.values.quantities import Size
from penstock_spec.values.strings import printable

_MAYBE_TEXT = frozenset({"string", "null"})


class Received(NamedTuple):
    """A message that was read and matches its schema."""

    value: Value
    raw: bytes
    """The body as JSON, unchanged if it was sent as JSON."""
    own: PenstockFields


class Encoding(Protocol):
    """Reads and writes bodies."""

    def read(self, entry: Sequence[bytes]) -> Received:
        """Read an entry's alternating names and values. Raises `Unreadable`."""
        ...

    def write(self, body: object) -> list[bytes]:
        """Return alternating names and values; Penstock's own fields may follow. Raises `Unsendable`."""
        ...

    def unchecked(self) -> Encoding:
        """Return the same encoding without a schema."""
        ...


def encoding_of(message: Message, schema: dict[str, Any]) -> Encoding:
    """Return the encoding of a spec, with its schema."""
    if isinstance(message.encoding, JsonField):
        return JsonEncoding(message.encoding.json_.encode(), message.max_size, schema_check_of(schema))
    return FieldsEncoding(FieldTypes.of(schema), message.max_size, schema_check_of(schema))


class JsonEncoding:
    """The body as JSON in one field. Other fields are ignored."""

    __slots__ = ("_check", "_max_size", "_name")

    def __init__(self, name: bytes, max_size: Size, check: SchemaCheck | None) -> None:
        """`name` is the entry's field; `check` checks the body."""
        self._name = name
        self._max_size = max_size
        self._check = check

    def read(self, entry: Sequence[bytes]) -> Received:
        """Read an entry. In most entries, the body is the first field, and often the only one."""
        own = NOTHING if len(entry) == 2 else own_fields_of(entry)  # noqa: PLR2004 - a name and a value
        raw = entry[1] if entry and entry[0] == self._name else self._find(entry)
        value = value_of(raw, self._max_size)
        if self._check is not None:
            self._check(value)
        return Received(value, raw, own)

    def write(self, body: object) -> list[bytes]:
        """Write one field."""
        fields = [self._name, text_of(plain(body))]
        _read_back(self, fields)
        return fields

    def unchecked(self) -> JsonEncoding:
        """Return the same encoding without a schema."""
        return JsonEncoding(self._name, self._max_size, None)

    def _find(self, entry: Sequence[bytes]) -> bytes:
        for index in range(0, len(entry) - 1, 2):
            if entry[index] == self._name:
                return entry[index + 1]
        name = printable(self._name.decode())
        raise Unreadable("no-body", f"the entry has no field `{name}`")


class FieldsEncoding:
    """Each field of the body is a field of the entry: text unchanged, everything else as JSON.

    Values are read as text. If the schema gives a field types without text, the value is read as JSON; invalid JSON
    stays text, and the schema refuses it. A null of a field that may also be text is omitted.
    """

    __slots__ = ("_check", "_max_size", "_types")

    def __init__(self, types: FieldTypes, max_size: Size, check: SchemaCheck | None) -> None:
        """`types` are the types of fields in the schema; `check` checks the body."""
        self._types = types
        self._max_size = max_size
        self._check = check

    def read(self, entry: Sequence[bytes]) -> Received:
        """Read an entry. The first of repeated fields counts; Penstock's own fields are not part of the body."""
        own = own_fields_of(entry)
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
        """Write one field for each field of the body."""
        fields: list[bytes] = []
        for name, value in plain(body).items():
            if not isinstance(name, str):
                raise Unsendable("type", "the name of a field in the body is not a text")
            if name.startswith(PREFIX.decode()):
                raise Unsendable("reserved", f"names that begin with `{PREFIX.decode()}` are reserved for Penstock")
            if value is not None or not _MAYBE_TEXT.issubset(self._types[name]):
                fields += (_utf8(name), self._text(name, value))
        _read_back(self, fields)
        return fields

    def unchecked(self) -> FieldsEncoding:
        """Return the same encoding without a schema."""
        return FieldsEncoding(self._types, self._max_size, None)

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
            says = f"at `{printable(name)}`: this field may be text, so workers read text; send text, or omit the field"
            raise Unsendable("type", says)
        return text_of(value)


def _read_back(encoding: Encoding, fields: list[bytes]) -> None:
    try:
        encoding.read(fields)
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
        raise Unsendable("not-utf-8", "the body contains a lone surrogate, which is not a character") from None
