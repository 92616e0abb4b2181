"""Penstock's own fields of an entry. All are optional, so any client can send a message by `XADD`.

If a field is repeated, the first one counts. Invalid values are ignored, except an unknown version, because then other
fields may have another meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.message.death_history import Death, read_history, write_history
from penstock.message.ulid import is_ulid
from penstock.message.unreadable import Unreadable

PREFIX = b"penstock-"
"""The start of their names. With `encoding: fields`, no field of a body may start with it."""

ID = b"penstock-id"
KEY = b"penstock-key"
VERSION = b"penstock-version"
TRACEPARENT = b"penstock-traceparent"
TRACESTATE = b"penstock-tracestate"
HISTORY = b"penstock-story"

CURRENT = b"1"
"""The only version."""

_OURS = frozenset({ID, KEY, VERSION, TRACEPARENT, TRACESTATE, HISTORY})


class PenstockFields:
    """Penstock's fields of one entry, decoded on access."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[bytes, bytes]) -> None:
        """Keep Penstock's own fields."""
        self._fields = fields

    @property
    def id(self) -> str | None:
        """The message's id, which a replay keeps."""
        raw = self._fields.get(ID)
        text = "" if raw is None else raw.decode("ascii", "replace")
        return text if text and is_ulid(text) else None

    @property
    def key(self) -> bytes | None:
        """The deduplication key, as bytes: it is the end of a Redis key."""
        return self._fields.get(KEY)

    @property
    def version(self) -> bytes | None:
        """The version, or None."""
        return self._fields.get(VERSION)

    @property
    def parent(self) -> bytes | None:
        """The sender's `traceparent`, not validated."""
        return self._fields.get(TRACEPARENT)

    @property
    def state(self) -> bytes | None:
        """The sender's `tracestate`."""
        return self._fields.get(TRACESTATE)

    @property
    def deaths(self) -> tuple[Death, ...]:
        """Earlier deaths of a replayed message, oldest first."""
        return read_history(self._fields.get(HISTORY, b"[]"))


NOTHING = PenstockFields({})


def own_fields_of(entry: Sequence[bytes]) -> PenstockFields:
    """Read Penstock's fields from alternating names and values."""
    own: dict[bytes, bytes] = {}
    for index in range(0, len(entry) - 1, 2):
        name = entry[index]
        if name in _OURS and name not in own:
            own[name] = entry[index + 1]
    if not own:
        return NOTHING
    version = own.get(VERSION, CURRENT)
    if version != CURRENT:
        plausible = version.isdigit() and len(version) < 10  # noqa: PLR2004 - a plausible number
        newer = plausible and int(version) > int(CURRENT)
        shown = version.decode() if plausible else "not a number"
        says = f"its version is {shown}, but this Penstock only knows {CURRENT.decode()}"
        raise Unreadable("newer-version" if newer else "version", says)
    return PenstockFields(own)


def write_own_fields(
    id_: str, *, key: bytes | None = None, trace: dict[str, str] | None = None, deaths: Sequence[Death] = ()
) -> list[bytes]:
    """Return Penstock's fields as alternating names and values, to append to the body's."""
    fields = [ID, id_.encode(), VERSION, CURRENT]
    if key is not None:
        fields += (KEY, key)
    if trace and "traceparent" in trace:
        fields += (TRACEPARENT, trace["traceparent"].encode())
        if trace.get("tracestate"):
            fields += (TRACESTATE, trace["tracestate"].encode())
    if deaths:
        fields += (HISTORY, write_history(deaths))
    return fields
