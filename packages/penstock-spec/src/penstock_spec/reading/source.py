"""Decode files, and refuse those that are not worth parsing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from penstock_spec.findings import Span
from penstock_spec.reading.document import Problem, first

LARGEST = 128 * 1024
"""In bytes. A full spec has 4 KiB; the reference parser reads 128 KiB in well under a second."""

TOO_LARGE = "make it smaller; a message schema can have a file of its own (`message.schema.model`)"

LINE_BREAK = re.compile(r"\r\n|\n|\r")
BYTE_ORDER_MARK = "\ufeff"

# YAML forbids control characters. The others are legal in YAML but harmful in a spec: separators that some tools read
# as line breaks, and marks that show a reviewer the characters in another order.
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, its lines, and the problems before parsing."""

    file: str
    text: str
    lines: tuple[str, ...]
    problems: tuple[Problem, ...]


def decode(file: str, raw: bytes) -> Text:
    """Decode bytes. A text that cannot be parsed safely is empty and has problems."""
    start = Span(file, 1, 1, 1, 1)
    if len(raw) > LARGEST:
        says = f"the file is larger than {LARGEST:,} bytes, which is the limit"
        return _refused(file, Problem("file-too-large", start, says, TOO_LARGE))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return _refused(file, _not_utf8(file, raw, error))
    problems: list[Problem] = []
    if text.startswith(BYTE_ORDER_MARK):
        text = text[1:]
        says = "the file starts with a byte order mark"
        problems.append(
            Problem("byte-order-mark", start, says, "save it as UTF-8 without one; `penstock fmt` removes it")
        )
    lines = tuple(LINE_BREAK.split(text))
    if FORBIDDEN.search(text):
        problems += first(_forbidden(file, lines))
        return Text(file, "", lines, tuple(problems))
    return Text(file, text, lines, tuple(problems))


def _refused(file: str, problem: Problem) -> Text:
    return Text(file, "", (), (problem,))


def _not_utf8(file: str, raw: bytes, error: UnicodeDecodeError) -> Problem:
    before = raw[: error.start].decode("utf-8", errors="replace")
    *complete, last = LINE_BREAK.split(before)
    at = Span(file, len(complete) + 1, len(last) + 1, len(complete) + 1, len(last) + 2)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Problem("not-utf8", at, "this is UTF-16", "save it as UTF-8")
    return Problem("not-utf8", at, f"byte 0x{raw[error.start]:02x} is not UTF-8", "save it as UTF-8")


def _forbidden(file: str, lines: tuple[str, ...]) -> Iterator[Problem]:
    return (
        Problem(
            "forbidden-character",
            Span(file, number, match.start() + 1, number, match.end() + 1),
            f"U+{ord(match.group()):04X} is an invisible character, which a spec must not contain",
            "remove it",
        )
        for number, line in enumerate(lines, 1)
        for match in FORBIDDEN.finditer(line)
    )
