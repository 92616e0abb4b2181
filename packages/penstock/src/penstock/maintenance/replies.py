"""Reads replies of scripts and commands. A reply of an unexpected type is a bug, and raises TypeError."""

from __future__ import annotations

from penstock.wire.errors import Refused, Reply


def number(reply: Reply) -> int:
    """Read an integer."""
    if not isinstance(reply, int):
        raise TypeError(f"expected a number, not {type(reply).__name__}")
    return reply


def raw(reply: Reply) -> bytes:
    """Read bytes, such as an id or a consumer's name, which need not be text."""
    if not isinstance(reply, bytes):
        raise TypeError(f"expected bytes, not {type(reply).__name__}")
    return reply


def text(reply: Reply) -> str:
    """Read text."""
    return raw(reply).decode(errors="backslashreplace")


def items(reply: Reply) -> list[Reply]:
    """Read a list."""
    if not isinstance(reply, list):
        raise TypeError(f"expected a list, not {type(reply).__name__}")
    return reply


def numbers(reply: Reply) -> list[int]:
    """Read a list of integers."""
    return [number(one) for one in items(reply)]


def mapping(reply: Reply) -> dict[bytes, Reply]:
    """Read alternating names and values, as in replies of XINFO; newer versions of Redis may have more names."""
    parts = items(reply)
    return dict(zip(map(raw, parts[::2]), parts[1::2], strict=True))


def milliseconds(reply: Reply) -> int:
    """Read a reply of TIME, in ms since 1970."""
    seconds, micros = (int(raw(part)) for part in items(reply))
    return seconds * 1000 + micros // 1000


def no_stream(refused: Refused) -> bool:
    """Whether XINFO failed because the stream does not exist; that has no error code."""
    return "no such key" in str(refused)


def without_group(refused: Refused) -> bool:
    """Whether a command failed because the group or its stream does not exist."""
    return refused.code == "NOGROUP"
