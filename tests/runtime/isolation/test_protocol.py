"""The decoder accepts packets in pieces and rejects anything else."""

from __future__ import annotations

import json
import struct

import pytest

from penstock.isolation.protocol import (
    LONGEST_BODY,
    LONGEST_PACKET,
    Cancel,
    Decoder,
    Exited,
    Packet,
    Prepare,
    ProgressPacket,
    ProtocolError,
    Quit,
    Run,
    RunDone,
    encode,
    from_json,
)

PACKETS: list[tuple[Packet, bytes]] = [
    (Quit(), b""),
    (Run("0-1", [0, 3], 1, 2, "é\n", None), b"\x00\xff{"),
    (Prepare("a:b", {"deep": [1, {"er": None}]}, ["/x"], 1 << 40), b""),
    (Exited(7, -11), b""),
    (ProgressPacket("0-1"), b"[" * 1000),
    (RunDone(last=True), bytes(100_000)),
    (Cancel("drain"), b""),
]


@pytest.mark.parametrize("step", [1, 7, 64, 1 << 20])
def test_packets_arrive_as_they_were_sent(step: int) -> None:
    """The bytes may be split anywhere."""
    sent = b"".join(encode(packet, body) for packet, body in PACKETS)
    decoder = Decoder()
    received = [one for start in range(0, len(sent), step) for one in decoder.feed(sent[start : start + step])]
    assert received == PACKETS


def framed(text: bytes) -> bytes:
    return struct.pack("!IQ", len(text), 0) + text


@pytest.mark.parametrize(
    "invalid",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!IQ", LONGEST_PACKET + 1, 0),
        struct.pack("!IQ", 2, LONGEST_BODY + 1),
        framed(b"[]"),
        framed(b"{}"),
        framed(b"\xff"),
        framed(b"[" * 100_000),
        framed(b'["Shout"]'),
        framed(b'["Quit", 1]'),
        framed(b'["Exited", 1]'),
        framed(b'[["Exited"], 1]'),
    ],
)
def test_invalid_bytes_are_rejected(invalid: bytes) -> None:
    """Packets before them are received."""
    received = Decoder().feed(encode(Quit()) + invalid)
    assert next(received) == (Quit(), b"")
    with pytest.raises(ProtocolError):
        next(received)


def test_a_body_that_is_not_json_is_rejected() -> None:
    """Progress and failures are JSON in the body."""
    assert from_json(json.dumps({"a": [1]}).encode()) == {"a": [1]}
    for invalid in (b"", b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(ProtocolError):
            from_json(invalid)
