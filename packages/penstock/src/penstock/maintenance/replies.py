"""What scripts answer, taken at their word: a reply of another shape is a fault of ours, and is told as one."""

from __future__ import annotations

from penstock.wire.errors import Refused, Reply


def number(reply: Reply) -> int:
    """A whole number."""
    if not isinstance(reply, int):
        raise TypeError(f"a number was expected, not {type(reply).__name__}")
    return reply


def raw(reply: Reply) -> bytes:
    """Bytes, such as an id, or the name of a consumer, which need not be text."""
    if not isinstance(reply, bytes):
        raise TypeError(f"bytes were expected, not {type(reply).__name__}")
    return reply


def text(reply: Reply) -> str:
    """A word."""
    return raw(reply).decode(errors="backslashreplace")


def items(reply: Reply) -> list[Reply]:
    """A list."""
    if not isinstance(reply, list):
        raise TypeError(f"a list was expected, not {type(reply).__name__}")
    return reply


def numbers(reply: Reply) -> list[int]:
    """A list of whole numbers."""
    return [number(one) for one in items(reply)]


def mapping(reply: Reply) -> dict[bytes, Reply]:
    """Names and values in turn, as XINFO tells; the names may be more with a newer Redis."""
    told = items(reply)
    return dict(zip(map(raw, told[::2]), told[1::2], strict=True))


def milliseconds(reply: Reply) -> int:
    """What TIME answers, in ms since 1970."""
    seconds, micros = (int(raw(part)) for part in items(reply))
    return seconds * 1000 + micros // 1000


def no_stream(refused: Refused) -> bool:
    """Whether XINFO was refused because the stream is not there; that has no code of its own."""
    return "no such key" in str(refused)


def without_group(refused: Refused) -> bool:
    """Whether it was refused because the group, or its stream, is not there."""
    return refused.code == "NOGROUP"
