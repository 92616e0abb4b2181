r"""Random texts that match a regular expression, for patterns as people write them in schemas.

Supports letters, classes, groups, `|`, repetition, `^` and `$` at the ends, `\d`, `\w` and `\s`; lookaround and
backreferences are not supported.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from random import Random

from penstock_dev.sample.errors import SampleError

MAX_OPTIONAL = 6
"""Maximum optional repetitions without an upper bound."""
MAX_REPETITIONS = 4096
TRIES = 60

WORD = string.ascii_letters + string.digits + "_"
ANY = string.ascii_lowercase + string.digits
CLASSES = {"d": string.digits, "w": WORD, "s": " ", "D": string.ascii_letters, "W": "-. ", "S": ANY}
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
HEX = {"x": re.compile("[0-9a-fA-F]{2}"), "u": re.compile("[0-9a-fA-F]{4}")}
PRINTABLE = "".join(map(chr, range(32, 127)))

Piece = Callable[[], str]


def random_match(pattern: str, random: Random, *, at_least: int = 0, at_most: int | None = None) -> str:
    """A random match. Raises SampleError. A pattern without `$` may be matched by a longer text."""
    piece = _Parser(pattern, random).parse()
    loose = "" if pattern.endswith("$") and not pattern.endswith("\\$") else ANY
    for _ in range(TRIES):
        made = piece()
        if loose and len(made) < at_least:
            made += "".join(random.choice(loose) for _ in range(at_least - len(made)))
        if at_least <= len(made) and (at_most is None or len(made) <= at_most):
            return made
    raise SampleError("no match has the required length")


class _Parser:
    """Parses a pattern into a generator of matches."""

    def __init__(self, pattern: str, random: Random) -> None:
        self._pattern = pattern
        self._at = 0
        self._random = random

    def parse(self) -> Piece:
        made = self._either()
        if self._at < len(self._pattern):
            raise SampleError(f"`{self._pattern[self._at]}` at {self._at}")
        return made

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        one = self._peek()
        if not one:
            raise SampleError("it ends too early")
        self._at += 1
        return one

    def _takes(self, prefix: str) -> bool:
        there = self._pattern.startswith(prefix, self._at)
        self._at += len(prefix) if there else 0
        return there

    def _either(self) -> Piece:
        ways = [self._row()]
        while self._takes("|"):
            ways.append(self._row())

        def one_of_them() -> str:
            return self._random.choice(ways)()

        return one_of_them if len(ways) > 1 else ways[0]

    def _row(self) -> Piece:
        pieces: list[Piece] = []
        while self._peek() not in {"", "|", ")"}:
            if self._takes("^") or self._takes("$"):
                continue  # anchors at the ends always hold; in the middle nothing matches, and validation fails
            pieces.append(self._repeated(self._atom()))
        return lambda: "".join(piece() for piece in pieces)

    def _atom(self) -> Piece:
        one = self._next()
        if one == "(":
            if self._takes("?") and not self._takes(":"):
                raise SampleError("lookaround and named groups are not supported")
            made = self._either()
            if not self._takes(")"):
                raise SampleError("a group is not closed")
            return made
        if one == "[":
            return self._among(self._class())
        if one == ".":
            return self._among(ANY)
        if one == "\\":
            return self._among(self._escape())
        if one in "*+?{":
            raise SampleError(f"nothing to repeat before `{one}`")
        return lambda: one

    def _among(self, letters: str) -> Piece:
        if not letters:
            raise SampleError("a character class is empty")
        return lambda: self._random.choice(letters)

    def _escape(self) -> str:
        one = self._next()
        if one in CLASSES:
            return CLASSES[one]
        if one in CONTROL:
            return CONTROL[one]
        digits = HEX[one].match(self._pattern, self._at) if one in HEX else None
        if digits:
            self._at = digits.end()
            return chr(int(digits.group(), 16))
        if one.isalnum():
            raise SampleError(f"`\\{one}`")
        return one

    def _class(self) -> str:
        without = self._takes("^")
        letters = ""
        while not self._takes("]"):
            one = self._next()
            some = self._escape() if one == "\\" else one
            following = self._pattern[self._at + 1 : self._at + 2]
            if len(some) == 1 and self._peek() == "-" and following not in {"", "]"}:
                self._at += 1
                end = self._next()
                end = self._escape() if end == "\\" else end
                if len(end) != 1 or ord(end) < ord(some):
                    raise SampleError("a character range is reversed")
                some = "".join(map(chr, range(ord(some), min(ord(end), ord(some) + 200) + 1)))
            letters += some
        return "".join(one for one in PRINTABLE if one not in letters) if without else letters

    def _repeated(self, piece: Piece) -> Piece:
        bounds = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII).match(self._pattern, self._at)
        if self._peek() in {"*", "+", "?"}:
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[self._next()]
        elif bounds:
            self._at = bounds.end()
            least = int(bounds[1])
            most = least if bounds[2] is None else int(bounds[3]) if bounds[3] else None
        else:
            return piece
        if self._peek() in {"?", "+"}:
            self._next()
        if least > MAX_REPETITIONS:
            raise SampleError("it repeats too often")
        upper = least + MAX_OPTIONAL if most is None else min(most, least + 2 * MAX_OPTIONAL)
        return lambda: "".join(piece() for _ in range(self._random.randint(least, upper)))
