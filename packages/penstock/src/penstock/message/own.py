"""Penstock's own fields of an entry. All of them are optional: anyone's `XADD` is a message.

A field that stands twice counts where it stands first. What is not as we write it is passed over, but for a version
that we do not know: then nothing else in the entry may mean what it seems to.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.message.story import Death, read_story, write_story
from penstock.message.ulid import is_ulid
from penstock.message.unreadable import Unreadable

PREFIX = b"penstock-"
"""No field of a body may begin so where each has an entry field of its own."""

ID = b"penstock-id"
KEY = b"penstock-key"
VERSION = b"penstock-version"
TRACEPARENT = b"penstock-traceparent"
TRACESTATE = b"penstock-tracestate"
STORY = b"penstock-story"

PRESENT = b"1"
"""The version that is written, and the only one there is."""

_OURS = frozenset({ID, KEY, VERSION, TRACEPARENT, TRACESTATE, STORY})


class Own:
    """The fields as they stand in the entry, looked at when they are asked for."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[bytes, bytes]) -> None:
        """Only our own."""
        self._fields = fields

    @property
    def id(self) -> str | None:
        """The message's own id, which stays the same when it is replayed."""
        raw = self._fields.get(ID)
        text = "" if raw is None else raw.decode("ascii", "replace")
        return text if text and is_ulid(text) else None

    @property
    def key(self) -> bytes | None:
        """What stands for the message in deduplication: the end of a Redis key, so its bytes are kept as they are."""
        return self._fields.get(KEY)

    @property
    def version(self) -> bytes | None:
        """None where nobody says it."""
        return self._fields.get(VERSION)

    @property
    def parent(self) -> bytes | None:
        """The sender's `traceparent`; whether it is one is for those to say who read traces."""
        return self._fields.get(TRACEPARENT)

    @property
    def state(self) -> bytes | None:
        """Its `tracestate`."""
        return self._fields.get(TRACESTATE)

    @property
    def story(self) -> tuple[Death, ...]:
        """Earlier deaths of a replayed message, the oldest first."""
        return read_story(self._fields.get(STORY, b"[]"))


NOTHING = Own({})


def own_of(entry: Sequence[bytes]) -> Own:
    """Read them from names and values in turn."""
    found: dict[bytes, bytes] = {}
    for index in range(0, len(entry) - 1, 2):
        name = entry[index]
        if name in _OURS and name not in found:
            found[name] = entry[index + 1]
    if not found:
        return NOTHING
    version = found.get(VERSION, PRESENT)
    if version != PRESENT:
        told = version.decode() if version.isdigit() and len(version) < 10 else "not a number"  # noqa: PLR2004 - a number that a person could mean
        raise Unreadable("version", f"its version is {told}, and this Penstock knows {PRESENT.decode()}")
    return Own(found)


def own_fields(
    id_: str, *, key: bytes | None = None, trace: dict[str, str] | None = None, story: Sequence[Death] = ()
) -> list[bytes]:
    """Write them, to stand behind the body."""
    fields = [ID, id_.encode(), VERSION, PRESENT]
    if key is not None:
        fields += (KEY, key)
    if trace and "traceparent" in trace:
        fields += (TRACEPARENT, trace["traceparent"].encode())
        if trace.get("tracestate"):
            fields += (TRACESTATE, trace["tracestate"].encode())
    if story:
        fields += (STORY, write_story(story))
    return fields
