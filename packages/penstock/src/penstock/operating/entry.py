"""Reads stream entries for people: log fields always, bodies only on request."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from penstock.maintenance.replies import items, raw
from penstock.message.body import Value
from penstock.message.encoding import Encoding, FieldsEncoding, JsonEncoding
from penstock.message.penstock_fields import ID, PREFIX
from penstock.message.ulid import is_ulid
from penstock.message.unreadable import Unreadable
from penstock.wire.errors import Reply
from penstock.worker.dead_letter import penstock_field
from penstock_spec.kinds.pipeline.message.flat import FieldTypes
from penstock_spec.kinds.pipeline.message.schema_of import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import JsonField
from penstock_spec.report.safe import safe
from penstock_spec.values.quantities import Size
from penstock_spec.values.strings import printable

ANY_SIZE = Size("1Ti")
LONGEST_VALUE = 60
"""Characters of a value in a table."""


class Entry(NamedTuple):
    """One entry of a stream."""

    id: str
    fields: Sequence[bytes]
    """Names and values in turn."""

    @property
    def time(self) -> int:
        """When it entered the stream, in ms since 1970: Redis time, unless its sender chose the id."""
        return int(self.id.partition("-")[0])

    @classmethod
    def of(cls, reply: Reply) -> Entry:
        """Parse Redis's reply."""
        id_, fields = items(reply)
        return cls(raw(id_).decode(), [raw(one) for one in items(fields)])


@dataclass(frozen=True, slots=True)
class MessageView:
    """What may be shown of a message."""

    message: str | None
    """The message's own id."""
    named: dict[str, object]
    """The field of `message.correlate` and those of `message.log_fields`, if present."""
    unreadable: str
    """Why the body could not be read; empty if it could."""
    value: Value | None
    """The body, shown only on request."""

    @property
    def line(self) -> str:
        """For people."""
        parts = [f"{name}={printable(_word(value), LONGEST_VALUE)}" for name, value in self.named.items()]
        return " ".join([*parts, *(["(its body cannot be read)"] if self.unreadable else [])])


class EntryReader:
    """Reads entries by the spec's encoding, but without its limits: dead letters often violate them."""

    def __init__(self, spec: Pipeline, folder: Path) -> None:
        """Raises CannotGoOn if the schema is needed to read bodies and cannot be loaded."""
        message = spec.message
        self._encoding: Encoding
        if isinstance(message.encoding, JsonField):
            self._encoding = JsonEncoding(message.encoding.json_.encode(), ANY_SIZE, None)
        else:
            self._encoding = FieldsEncoding(FieldTypes.of(schema_of(spec, folder)), ANY_SIZE, None)
        self._names = dict.fromkeys([*([message.correlate] if message.correlate else []), *message.log_fields])

    def read(self, fields: Sequence[bytes]) -> MessageView:
        """Read the fields of an entry."""
        id_ = (penstock_field(fields, ID) or b"").decode("ascii", "replace")
        value, unreadable = None, ""
        try:
            value = self._encoding.read(without_penstock_fields(fields)).value
        except Unreadable as error:
            unreadable = str(error)
        named = {name: value[name] for name in self._names if name in value} if value is not None else {}
        return MessageView(id_ if is_ulid(id_) else None, named, unreadable, value)


def without_penstock_fields(fields: Sequence[bytes]) -> list[bytes]:
    """Drop Penstock's own fields: the body may be readable even if their version is unknown."""
    return [part for name, value in pairs(fields) if not name.startswith(PREFIX) for part in (name, value)]


def pairs(fields: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Pairs of name and value."""
    return zip(fields[::2], fields[1::2], strict=False)


def plain_fields(fields: Sequence[bytes]) -> list[dict[str, str]]:
    """Fields as JSON, byte for byte: as text if they are UTF-8, else as base64 under another key."""
    return [_plain("name", name) | _plain("value", value) for name, value in pairs(fields)]


def shown_fields(fields: Sequence[bytes]) -> Iterator[str]:
    """One line per field, byte for byte: plain one-line text, a JSON string, or base64."""
    for name, value in pairs(fields):
        yield f"{_shown(name)}: {_shown(value)}"


def pretty(value: object) -> str:
    """Indented JSON that cannot move a cursor."""
    return json.dumps(value, indent=2)


def _plain(key: str, value: bytes) -> dict[str, str]:
    try:
        return {key: value.decode()}
    except UnicodeDecodeError:
        return {f"{key}_base64": base64.b64encode(value).decode()}


def _shown(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return f"(base64) {base64.b64encode(value).decode()}"
    needs_quotes = safe(text) != text or text != text.strip() or not text
    return json.dumps(text) if needs_quotes else text


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
