"""Penstock's own fields of an entry. All of them are optional: anyone's `XADD` is a message.

A field that stands twice counts where it stands first. What is not as we write it is passed over, but for a version
that we do not know: then nothing else in the entry may mean what it seems to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

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

_NAMES = {ID: "raw_id", KEY: "key", VERSION: "version", TRACEPARENT: "parent", TRACESTATE: "state", STORY: "deaths"}
_PARENT = re.compile(rb"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
_LONGEST_STATE = 512


class Own(NamedTuple):
    """The fields as they stand in the entry."""

    raw_id: bytes | None = None
    key: bytes | None = None
    """What stands for the message in deduplication: the end of a Redis key, so its bytes are kept as they are."""
    version: bytes | None = None
    parent: bytes | None = None
    state: bytes | None = None
    deaths: bytes | None = None

    @property
    def id(self) -> str | None:
        """The message's own id, which stays the same when it is replayed."""
        text = self.raw_id.decode("ascii", "replace") if self.raw_id else ""
        return text if is_ulid(text) else None

    @property
    def trace(self) -> dict[str, str]:
        """The sender's trace context, by the names that W3C gives it; empty where there is none."""
        if self.parent is None or not _PARENT.fullmatch(self.parent):
            return {}
        found = {"traceparent": self.parent.decode("ascii")}
        if self.state and len(self.state) <= _LONGEST_STATE and self.state.isascii():
            found["tracestate"] = self.state.decode("ascii")
        return found

    @property
    def story(self) -> tuple[Death, ...]:
        """Earlier deaths of a replayed message, the oldest first."""
        return read_story(self.deaths) if self.deaths else ()


NOTHING = Own()


def own_of(entry: Sequence[bytes]) -> Own:
    """Read them from names and values in turn."""
    found: dict[str, bytes] = {}
    for index in range(0, len(entry) - 1, 2):
        name = _NAMES.get(entry[index])
        if name is not None and name not in found:
            found[name] = entry[index + 1]
    if not found:
        return NOTHING
    own = Own(**found)
    if own.version is not None and own.version != PRESENT:
        told = own.version.decode() if own.version.isdigit() and len(own.version) < 10 else ""  # noqa: PLR2004 - a number that a person could mean
        says = f"its version is {told or 'not a number'}, and this Penstock knows {PRESENT.decode()}"
        raise Unreadable("version", says)
    return own


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
