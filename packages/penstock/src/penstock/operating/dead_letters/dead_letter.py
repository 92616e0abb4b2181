"""A dead letter: the original message, and what was recorded when it died."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.message.death_history import Death, read_history, write_history
from penstock.message.penstock_fields import STORY
from penstock.operating.entry import Entry
from penstock.worker.dead_letter import MOST_FIELDS, PACKED, PREFIX, penstock_field, unpack_fields

FIRST = PREFIX + b"id"
"""The first field that a death adds."""

KIND = re.compile(r"([A-Za-z_][\w.-]*)(?::|$)")


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One dead letter. `told` is empty if Penstock did not write it."""

    id: str
    time: int
    """When it was written, in ms since 1970 (Redis time)."""
    original: Sequence[bytes]
    """Names and values as sent, byte for byte."""
    told: Mapping[str, str]

    @classmethod
    def of(cls, entry: Entry) -> DeadLetter:
        """Split an entry into the original fields and the recorded death, and unpack packed fields."""
        fields = entry.fields
        end = _burial(fields)
        original, rest = fields[:end], fields[end:]
        told = {
            name.removeprefix(PREFIX).decode(errors="replace"): value.decode(errors="backslashreplace")
            for name, value in zip(rest[::2], rest[1::2], strict=False)
        }
        if told and len(original) == 2 and original[0] == PACKED:  # noqa: PLR2004 - a name and a value
            original = _unpacked(original)
        return cls(entry.id, entry.time, tuple(original), told)

    @property
    def reason(self) -> str:
        """`failed`, `lost`, `unreadable` or `refused`."""
        return self.told.get("reason", "")

    @property
    def error(self) -> str:
        """`Type: text`. The text may quote the body."""
        return self.told.get("error", "")

    @property
    def kind(self) -> str:
        """The type of the error, which quotes no body."""
        found = KIND.match(self.error)
        return found[1] if found else ""

    @property
    def attempts(self) -> int | None:
        """How many attempts it had."""
        return _number(self.told.get("attempts"))

    @property
    def died(self) -> int:
        """When it died, in ms since 1970 (wall time of its worker)."""
        return _number(self.told.get("at")) or self.time

    @property
    def story(self) -> tuple[Death, ...]:
        """All its deaths, oldest first."""
        before = read_history(penstock_field(self.original, STORY) or b"")
        if not self.told:
            return before
        entry = self.told.get("id", self.id)
        return (*before, Death(entry, self.reason, self.error, self.attempts or 0, self.died))

    def belongs_to(self, keys: PipelineKeys) -> bool:
        """Whether it died in this stream and group; pipelines may share a dead-letter stream."""
        stream, group = self.told.get("stream", keys.stream), self.told.get("group", keys.group)
        return (stream, group) == (keys.stream, keys.group)

    def replayed(self) -> list[bytes]:
        """The fields of the replayed entry: the original ones, with the history of deaths."""
        story = self.story
        if not story:
            return list(self.original)
        fields, written = list(self.original), write_history(story)
        for at in range(0, len(fields) - 1, 2):
            if fields[at] == STORY:
                fields[at + 1] = written
                return fields
        return [*fields, STORY, written]


def _burial(fields: Sequence[bytes]) -> int:
    """Where the recorded death starts. The original fields may contain another one, so this is the last start."""
    for at in range(len(fields) - 2, -1, -2):
        if not fields[at].startswith(PREFIX):
            break
        if fields[at] == FIRST:
            return at
    return len(fields)


def _unpacked(original: Sequence[bytes]) -> Sequence[bytes]:
    try:
        fields = unpack_fields(original[1])
    except ValueError:
        return original  # somebody's own field of that name
    return fields if len(fields) > 2 * MOST_FIELDS else original


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None
