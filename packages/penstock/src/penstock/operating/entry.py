"""Entries as a person may see them: what they are about, and, where asked for, what is in them."""

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
"""Characters of a value in a line."""


class Entry(NamedTuple):
    """One entry of a stream."""

    id: str
    fields: Sequence[bytes]
    """Names and values in turn."""

    @property
    def time(self) -> int:
        """When it entered the stream: ms since 1970, by Redis's clock unless its sender chose the id."""
        return int(self.id.partition("-")[0])

    @classmethod
    def of(cls, told: Reply) -> Entry:
        """As Redis tells it."""
        id_, fields = items(told)
        return cls(raw(id_).decode(), [raw(one) for one in items(fields)])


@dataclass(frozen=True, slots=True)
class About:
    """What may be told of a message without its body."""

    message: str | None
    """Its own id."""
    named: dict[str, object]
    """The field that correlates, and `message.log_fields`, as far as they are there."""
    unreadable: str
    """Why the body could not be read; nothing where it could."""
    value: Value | None
    """The body, for those who asked for bodies."""

    @property
    def line(self) -> str:
        """For people."""
        told = [f"{name}={printable(_word(value), LONGEST_VALUE)}" for name, value in self.named.items()]
        return " ".join([*told, *(["(its body cannot be read)"] if self.unreadable else [])])


class Lens:
    """Reads bodies as the spec says, and bears with what a worker would refuse: a dead letter is often just that."""

    def __init__(self, spec: Pipeline, folder: Path) -> None:
        """Raises CannotGoOn where the schema is needed to read a body and cannot be had."""
        message = spec.message
        self._encoding: Encoding
        if isinstance(message.encoding, JsonField):
            self._encoding = JsonEncoding(message.encoding.json_.encode(), ANY_SIZE, None)
        else:
            self._encoding = FieldsEncoding(FieldTypes.of(schema_of(spec, folder)), ANY_SIZE, None)
        self._names = dict.fromkeys([*([message.correlate] if message.correlate else []), *message.log_fields])

    def look(self, fields: Sequence[bytes]) -> About:
        """At the fields of an entry."""
        id_ = (penstock_field(fields, ID) or b"").decode("ascii", "replace")
        value, unreadable = None, ""
        try:
            value = self._encoding.read(without_own(fields)).value
        except Unreadable as error:
            unreadable = str(error)
        named = {name: value[name] for name in self._names if name in value} if value is not None else {}
        return About(id_ if is_ulid(id_) else None, named, unreadable, value)


def without_own(fields: Sequence[bytes]) -> list[bytes]:
    """Without Penstock's own fields: of a version that is not known, the body may still be readable."""
    return [part for name, value in pairs(fields) if not name.startswith(PREFIX) for part in (name, value)]


def pairs(fields: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Names with their values."""
    return zip(fields[::2], fields[1::2], strict=False)


def plain_fields(fields: Sequence[bytes]) -> list[dict[str, str]]:
    """For machines, byte for byte: text where it is UTF-8, else base64, and the key says so."""
    return [_plain("name", name) | _plain("value", value) for name, value in pairs(fields)]


def shown_fields(fields: Sequence[bytes]) -> Iterator[str]:
    """For people, byte for byte: a line each. What is not plain text in one line stands as JSON, or as base64."""
    for name, value in pairs(fields):
        yield f"{_seen(name)}: {_seen(value)}"


def pretty(value: object) -> str:
    """JSON over several lines, in which nothing can move a cursor."""
    return json.dumps(value, indent=2)


def _plain(what: str, told: bytes) -> dict[str, str]:
    try:
        return {what: told.decode()}
    except UnicodeDecodeError:
        return {f"{what}_base64": base64.b64encode(told).decode()}


def _seen(told: bytes) -> str:
    try:
        text = told.decode()
    except UnicodeDecodeError:
        return f"(base64) {base64.b64encode(told).decode()}"
    odd = safe(text) != text or text != text.strip() or not text
    return json.dumps(text) if odd else text


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
