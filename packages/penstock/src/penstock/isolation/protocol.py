"""What worker, fork server and child say to each other: words in JSON, and raw bytes beside them. Never pickle.

A frame is the length of the word, the length of the bytes, the word, the bytes. Messages travel in the bytes, so
nothing of them is decoded, escaped or changed on the way.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

_LENGTHS = struct.Struct("!IQ")
LONGEST_PACKET = 64 << 20
LONGEST_BODY = 1 << 30
"""Redis takes no more than half of this in one command: whoever announces more talks nonsense."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Fork server to worker: tell me the handler."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """Worker to fork server: the answer."""

    target: str
    config: Mapping[str, JSON]
    path: Sequence[str]
    memory_limit: int | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Fork server to worker: ask for children. Each imports for itself if there is a reason for it."""

    each_imports: str


@dataclass(frozen=True, slots=True)
class ImportFailed:
    """Fork server or child to worker: the handler cannot be imported."""

    text: str


@dataclass(frozen=True, slots=True)
class Fork:
    """Worker to fork server, with the child's end of a socket: one child, please."""

    child: int


@dataclass(frozen=True, slots=True)
class ForkFailed:
    """Fork server to worker: the system refused."""

    child: int
    text: str


@dataclass(frozen=True, slots=True)
class Signal:
    """Worker to fork server: for this child and all that it started."""

    child: int
    signal: int


@dataclass(frozen=True, slots=True)
class Exited:
    """Fork server to worker: it has ended, and was reaped."""

    child: int
    code: int


@dataclass(frozen=True, slots=True)
class Ready:
    """Child to worker: give me a message."""

    pid: int


@dataclass(frozen=True, slots=True)
class Run:
    """Worker to child: a message; its fields are the bytes: name, value, name, value."""

    id: str
    lengths: Sequence[int]
    attempt: int
    fence: int
    consumer: str
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Cancel:
    """Worker to child: stop what you run."""

    why: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Worker to child: there is nothing more for you."""


@dataclass(frozen=True, slots=True)
class ProgressPacket:
    """Child to worker: progress of this message; the bytes are JSON. A thread may tell it when the message is over."""

    id: str


@dataclass(frozen=True, slots=True)
class RunDone:
    """Child to worker: the bytes are the result."""

    last: bool
    """This child is not to be given another message."""


@dataclass(frozen=True, slots=True)
class RunFailed:
    """Child to worker: the bytes are the failure, in JSON."""

    last: bool


@dataclass(frozen=True, slots=True)
class RunStopped:
    """Child to worker: cancelled, as you asked."""

    last: bool


Packet: TypeAlias = (
    Hello
    | Prepare
    | Prepared
    | ImportFailed
    | Fork
    | ForkFailed
    | Signal
    | Exited
    | Ready
    | Run
    | Cancel
    | Quit
    | ProgressPacket
    | RunDone
    | RunFailed
    | RunStopped
)
_PACKETS: dict[str, type[Packet]] = {packet.__name__: packet for packet in Packet.__args__}


class ProtocolError(Exception):
    """No word of ours: something else wrote to the socket."""


def encode(packet: Packet, body: bytes = b"") -> bytes:
    """Put a word and its bytes as they travel."""
    kind = type(packet)
    said = json.dumps(
        [kind.__name__, *(getattr(packet, name) for name in kind.__slots__)], separators=(",", ":")
    ).encode()
    return _LENGTHS.pack(len(said), len(body)) + said + body


class Decoder:
    """Bytes as they arrive, cut into words."""

    def __init__(self) -> None:
        """Start with nothing heard."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Packet, bytes]]:
        """Give the words that are complete with these bytes."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _LENGTHS.size:
            packet, body = _LENGTHS.unpack_from(buffer)
            if packet > LONGEST_PACKET or body > LONGEST_BODY:
                raise ProtocolError(f"a word of {packet} and {body} bytes")
            start, end = _LENGTHS.size + packet, _LENGTHS.size + packet + body
            if len(buffer) < end:
                return
            with memoryview(buffer) as view:  # a slice of the buffer itself would be copied twice
                said, beside = bytes(view[_LENGTHS.size : start]), bytes(view[start:end])
            del buffer[:end]
            yield _decode(said), beside


def from_json(body: bytes) -> JSON:
    """Read bytes that are JSON."""
    try:
        found: JSON = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("no JSON beside a word") from error
    return found


def _decode(said: bytes) -> Packet:
    try:
        kind, *rest = json.loads(said)
        return _PACKETS[kind](*rest)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ProtocolError(f"{type(error).__name__} in a word") from error
