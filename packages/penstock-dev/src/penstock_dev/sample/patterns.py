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
        match = piece()
        if loose and len(match) < at_least:
            match += "".join(random.choice(loose) for _ in range(at_least - len(match)))
        if at_least <= len(match) and (at_most is None or len(match) <= at_most):
            return match
    raise SampleError("no match has the required length")


class _Parser:
    """Parses a pattern into a generator of matches."""

    def __init__(self, pattern: str, random: Random) -> None:
        self._pattern = pattern
        self._at = 0
        self._random = random

    def parse(self) -> Piece:
        piece = self._either()
        if self._at < len(self._pattern):
            raise SampleError(f"`{self._pattern[self._at]}` at {self._at}")
        return piece

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        one = self._peek()
        if not one:
            raise SampleError("it ends too early")
        self._at += 1
        return one

    def _skip(self, prefix: str) -> bool:
        """Skip these characters; False if others follow."""
        follows = self._pattern.startswith(prefix, self._at)
        self._at += len(prefix) if follows else 0
        return follows

    def _either(self) -> Piece:
        choices = [self._sequence()]
        while self._skip("|"):
            choices.append(self._sequence())

        def random_choice() -> str:
            return self._random.choice(choices)()

        return random_choice if len(choices) > 1 else choices[0]

    def _sequence(self) -> Piece:
        pieces: list[Piece] = []
        while self._peek() not in {"", "|", ")"}:
            if self._skip("^") or self._skip("$"):
                continue  # anchors at the ends always hold; in the middle nothing matches, and validation fails
            pieces.append(self._repeated(self._atom()))
        return lambda: "".join(piece() for piece in pieces)

    def _atom(self) -> Piece:
        one = self._next()
        if one == "(":
            if self._skip("?") and not self._skip(":"):
                raise SampleError("lookaround and named groups are not supported")
            piece = self._either()
            if not self._skip(")"):
                raise SampleError("a group is not closed")
            return piece
        if one == "[":
            return self._one_of(self._class())
        if one == ".":
            return self._one_of(ANY)
        if one == "\\":
            return self._one_of(self._escape())
        if one in "*+?{":
            raise SampleError(f"nothing to repeat before `{one}`")
        return lambda: one

    def _one_of(self, letters: str) -> Piece:
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
        without = self._skip("^")
        letters = ""
        while not self._skip("]"):
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
