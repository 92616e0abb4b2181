"""Words travel in pieces, and what is not a word of ours is noticed."""

from __future__ import annotations

import json
import struct

import pytest

from penstock.isolation.words import (
    LONGEST_BYTES,
    LONGEST_WORD,
    Cancel,
    Done,
    Exited,
    Frames,
    Garbled,
    Leave,
    Prepare,
    Run,
    Told,
    Word,
    frame,
    from_json,
)

SAID: list[tuple[Word, bytes]] = [
    (Leave(), b""),
    (Run("0-1", [0, 3], 1, 2, "é\n", None), b"\x00\xff{"),
    (Prepare("a:b", {"deep": [1, {"er": None}]}, ["/x"], 1 << 40), b""),
    (Exited(7, -11), b""),
    (Told("0-1"), b"[" * 1000),
    (Done(last=True), bytes(100_000)),
    (Cancel("drain"), b""),
]


@pytest.mark.parametrize("step", [1, 7, 64, 1 << 20])
def test_words_arrive_as_they_were_said(step: int) -> None:
    """However the bytes are cut."""
    sent = b"".join(frame(word, body) for word, body in SAID)
    frames = Frames()
    heard = [one for start in range(0, len(sent), step) for one in frames.feed(sent[start : start + step])]
    assert heard == SAID


def framed(said: bytes) -> bytes:
    return struct.pack("!IQ", len(said), 0) + said


@pytest.mark.parametrize(
    "bad",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!IQ", LONGEST_WORD + 1, 0),
        struct.pack("!IQ", 2, LONGEST_BYTES + 1),
        framed(b"[]"),
        framed(b"{}"),
        framed(b"\xff"),
        framed(b"[" * 100_000),
        framed(b'["Shout"]'),
        framed(b'["Leave", 1]'),
        framed(b'["Exited", 1]'),
        framed(b'[["Exited"], 1]'),
    ],
)
def test_nonsense_is_noticed(bad: bytes) -> None:
    """What was said before it is heard."""
    heard = Frames().feed(frame(Leave()) + bad)
    assert next(heard) == (Leave(), b"")
    with pytest.raises(Garbled):
        next(heard)


def test_bytes_that_are_no_json_are_noticed() -> None:
    """Progress and failures are JSON beside a word."""
    assert from_json(json.dumps({"a": [1]}).encode()) == {"a": [1]}
    for bad in (b"", b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(Garbled):
            from_json(bad)
