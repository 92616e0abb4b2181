"""One style for specs, and proof that nothing but the style changed.

Only the blanks between the words of a file change; words, comments and lines keep their order. `layout` splits the
lines by YAML's tokens into those of `lines`, and `comments` places the comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from penstock_spec.files import File
from penstock_spec.findings import Span
from penstock_spec.formatting.comments import place_comments
from penstock_spec.formatting.layout import lay_out
from penstock_spec.formatting.lines import StyledLine
from penstock_spec.reading import Document, Path, Problem, read


@dataclass(frozen=True, slots=True)
class NotFormatted:
    """Why a file is not formatted."""

    why: str
    hint: str


def formatted(file: File) -> str | NotFormatted:
    """The formatted text, or the reason why there is none."""
    if isinstance(file.raw, Problem):
        return NotFormatted(file.raw.says, file.raw.hint)
    before = read(file.name, file.raw)
    serious = [one for one in before.problems if one.rule != "byte-order-mark"]
    if serious:
        return NotFormatted(f"line {serious[0].at.line}: {serious[0].says}", serious[0].hint)
    text = _styled("\n".join(before.lines))
    return refusal(before, text) or text


def refusal(before: Document, text: str) -> NotFormatted | None:
    """Why a text may not replace a document: it has other values, other words or other comments."""
    after = read(before.file, text.encode())
    place = next(_differing(before, after), None)
    if place is None and not after.problems and "".join("".join(before.lines).split()) == "".join(text.split()):
        return None
    line = place.line if place else after.problems[0].at.line if after.problems else 1
    return NotFormatted(f"line {line}: formatting would change its meaning", "write it in a plainer way")


def _differing(before: Document, after: Document) -> Iterator[Span]:
    """The places of values that differ, or are written differently."""
    for path, place in before.places.items():
        if path not in after.places or _own(before, path) != _own(after, path):
            yield place.value


def _own(document: Document, path: Path) -> object:
    """A value without its inner values, which have places of their own."""
    value = document.data
    for step in path:
        value = value[step]
    if isinstance(value, dict):
        return list(value)
    return len(value) if isinstance(value, list) else (type(value), str(value))


def _styled(text: str) -> str:
    lines = lay_out(text)
    place_comments(lines)
    styled: list[str] = []
    for line in _without_needless_blanks(lines):
        start = " " * line.now + line.content
        styled.append(start.ljust(line.comment_now) + line.comment if line.comment else start if line.content else "")
    unfinished = lines[-1].block and not text.endswith("\n")  # a block's text may end without a line's end
    return "\n".join(styled) + ("" if unfinished else "\n")


def _without_needless_blanks(lines: list[StyledLine]) -> Iterator[StyledLine]:
    """The lines with at most one blank line in a row, and none at the start and the end, except inside texts."""
    blank: StyledLine | None = None
    started = False
    for line in lines:
        if line.blank:
            blank = line if started else None
            continue
        if blank:
            yield blank
        yield line
        blank, started = None, True
