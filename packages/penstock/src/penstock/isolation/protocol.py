"""The protocol between worker, fork server and child: packets in JSON, each with a body of raw bytes; never pickle.

On the wire: the length of the packet, the length of the body, the packet, the body. Messages are in the body, so
nothing in them is decoded, escaped or changed.
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
"""Redis accepts at most half of this in one command, so a larger body is an error."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Fork server to worker: it has started, and waits for `Prepare`."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """Worker to fork server: import the handler."""

    target: str
    config: Mapping[str, JSON]
    path: Sequence[str]
    memory_limit: int | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Fork server to worker: it can fork."""

    each_imports: str
    """Why each child must import the handler itself; empty if it need not."""


@dataclass(frozen=True, slots=True)
class ImportFailed:
    """Fork server or child to worker: the handler cannot be imported."""

    text: str


@dataclass(frozen=True, slots=True)
class Fork:
    """Worker to fork server, with the child's end of a socket: fork one child."""

    child: int


@dataclass(frozen=True, slots=True)
class ForkFailed:
    """Fork server to worker: the fork failed."""

    child: int
    text: str


@dataclass(frozen=True, slots=True)
class Signal:
    """Worker to fork server: send a signal to this child and everything that it has started."""

    child: int
    signal: int


@dataclass(frozen=True, slots=True)
class Exited:
    """Fork server to worker: this child has ended, and was reaped."""

    child: int
    code: int


@dataclass(frozen=True, slots=True)
class Ready:
    """Child to worker: it is ready for a message."""

    pid: int


@dataclass(frozen=True, slots=True)
class Run:
    """Worker to child: run this message. The body has its fields: name, value, name, value."""

    id: str
    lengths: Sequence[int]
    attempt: int
    fence: int
    consumer: str
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Cancel:
    """Worker to child: stop the message."""

    why: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Worker to child: end."""


@dataclass(frozen=True, slots=True)
class ProgressPacket:
    """Child to worker: progress of this message, in JSON. A thread may send it after the message has ended."""

    id: str


@dataclass(frozen=True, slots=True)
class RunDone:
    """Child to worker: the message has ended; the body is the result."""

    last: bool
    """Whether this child takes no other message."""


@dataclass(frozen=True, slots=True)
class RunFailed:
    """Child to worker: the program raised; the body is the failure, in JSON."""

    last: bool


@dataclass(frozen=True, slots=True)
class RunStopped:
    """Child to worker: the message was cancelled."""

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
    """This is not a packet of the protocol: something else wrote to the socket."""


def encode(packet: Packet, body: bytes = b"") -> bytes:
    """Encode a packet and its body for the wire."""
    kind = type(packet)
    text = json.dumps(
        [kind.__name__, *(getattr(packet, name) for name in kind.__slots__)], separators=(",", ":")
    ).encode()
    return _LENGTHS.pack(len(text), len(body)) + text + body


class Decoder:
    """Splits received bytes into packets."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Packet, bytes]]:
        """Yield the packets that these bytes complete."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _LENGTHS.size:
            packet, body = _LENGTHS.unpack_from(buffer)
            if packet > LONGEST_PACKET or body > LONGEST_BODY:
                raise ProtocolError(f"a packet of {packet} and {body} bytes")
            start, end = _LENGTHS.size + packet, _LENGTHS.size + packet + body
            if len(buffer) < end:
                return
            with memoryview(buffer) as view:  # a slice of the buffer itself would be copied twice
                text, body_bytes = bytes(view[_LENGTHS.size : start]), bytes(view[start:end])
            del buffer[:end]
            yield _decode(text), body_bytes


def from_json(body: bytes) -> JSON:
    """Parse a body that is JSON."""
    try:
        value: JSON = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a body is not JSON") from error
    return value


def _decode(text: bytes) -> Packet:
    try:
        kind, *rest = json.loads(text)
        return _PACKETS[kind](*rest)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ProtocolError(f"{type(error).__name__} in a packet") from error
