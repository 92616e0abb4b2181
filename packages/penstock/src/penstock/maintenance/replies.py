"""Reads replies of scripts and commands; a reply of another type is a bug, and raises TypeError."""

from __future__ import annotations

from penstock.wire.errors import Refused, Reply


def number(reply: Reply) -> int:
    """Read an integer."""
    if not isinstance(reply, int):
        raise TypeError(f"a number was expected, not {type(reply).__name__}")
    return reply


def raw(reply: Reply) -> bytes:
    """Read bytes, such as an id or the name of a consumer, which need not be text."""
    if not isinstance(reply, bytes):
        raise TypeError(f"bytes were expected, not {type(reply).__name__}")
    return reply


def text(reply: Reply) -> str:
    """Read text."""
    return raw(reply).decode(errors="backslashreplace")


def items(reply: Reply) -> list[Reply]:
    """Read a list."""
    if not isinstance(reply, list):
        raise TypeError(f"a list was expected, not {type(reply).__name__}")
    return reply


def numbers(reply: Reply) -> list[int]:
    """Read a list of integers."""
    return [number(one) for one in items(reply)]


def mapping(reply: Reply) -> dict[bytes, Reply]:
    """Read names and values, alternating, as XINFO replies; a newer Redis may have more names."""
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
