"""A dead letter: the original message, and the record of its death."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.message.death_history import Death, read_history, write_history
from penstock.message.penstock_fields import HISTORY
from penstock.operating.entry import Entry
from penstock.worker.dead_letter import MOST_FIELDS, PACKED, PREFIX, penstock_field, unpack_fields

FIRST = PREFIX + b"id"
"""The first field that a death adds."""

KIND = re.compile(r"([A-Za-z_][\w.-]*)(?::|$)")


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One dead letter. `record` is empty if Penstock did not write it."""

    id: str
    time: int
    """When it was written, in ms since 1970 (Redis time)."""
    original: Sequence[bytes]
    """Names and values as sent, byte for byte."""
    record: Mapping[str, str]

    @classmethod
    def of(cls, entry: Entry) -> DeadLetter:
        """Split an entry into the original fields and the recorded death, and unpack packed fields."""
        fields = entry.fields
        end = _record_start(fields)
        original, rest = fields[:end], fields[end:]
        record = {
            name.removeprefix(PREFIX).decode(errors="replace"): value.decode(errors="backslashreplace")
            for name, value in zip(rest[::2], rest[1::2], strict=False)
        }
        if record and len(original) == 2 and original[0] == PACKED:  # noqa: PLR2004 - a name and a value
            original = _unpacked(original)
        return cls(entry.id, entry.time, tuple(original), record)

    @property
    def reason(self) -> str:
        """`failed`, `lost`, `unreadable` or `refused`."""
        return self.record.get("reason", "")

    @property
    def error(self) -> str:
        """`Type: text`. The text may quote the body."""
        return self.record.get("error", "")

    @property
    def kind(self) -> str:
        """The type of the error; unlike the text, it never quotes the body."""
        match = KIND.match(self.error)
        return match[1] if match else ""

    @property
    def attempts(self) -> int | None:
        """The number of attempts."""
        return _number(self.record.get("attempts"))

    @property
    def died(self) -> int:
        """When it died, in ms since 1970 (wall time of its worker)."""
        return _number(self.record.get("at")) or self.time

    @property
    def deaths(self) -> tuple[Death, ...]:
        """All deaths of the message, oldest first."""
        earlier = read_history(penstock_field(self.original, HISTORY) or b"")
        if not self.record:
            return earlier
        entry = self.record.get("id", self.id)
        return (*earlier, Death(entry, self.reason, self.error, self.attempts or 0, self.died))

    def belongs_to(self, keys: PipelineKeys) -> bool:
        """Whether it died in this stream and group; pipelines may share a dead-letter stream."""
        stream, group = self.record.get("stream", keys.stream), self.record.get("group", keys.group)
        return (stream, group) == (keys.stream, keys.group)

    def replayed(self) -> list[bytes]:
        """The fields of the replayed entry: the original ones, with the history of deaths."""
        deaths = self.deaths
        if not deaths:
            return list(self.original)
        fields, written = list(self.original), write_history(deaths)
        for index in range(0, len(fields) - 1, 2):
            if fields[index] == HISTORY:
                fields[index + 1] = written
                return fields
        return [*fields, HISTORY, written]


def _record_start(fields: Sequence[bytes]) -> int:
    """The index where the record starts. The original fields may contain an older record, so the last one counts."""
    for index in range(len(fields) - 2, -1, -2):
        if not fields[index].startswith(PREFIX):
            break
        if fields[index] == FIRST:
            return index
    return len(fields)


def _unpacked(original: Sequence[bytes]) -> Sequence[bytes]:
    try:
        fields = unpack_fields(original[1])
    except ValueError:
        return original  # a field of that name from the sender
    return fields if len(fields) > 2 * MOST_FIELDS else original


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None
