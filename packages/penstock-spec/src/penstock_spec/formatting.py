"""One style for specs, by ruamel.yaml's round trip, and proof that nothing but the style changed."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

from penstock_spec.reading import Document, Found, read
from penstock_spec.repository import File

COMMENT = re.compile(r"(?:^|\s)#.*$")
BLANK_LINES = re.compile(r"\n{3,}")
BLOCK_SCALAR = re.compile(r"(?:^|[\s:-])[|>][0-9+-]{0,2}(?:\s+#.*)?$")
ENDS = re.compile(r"[ \t]+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file is left alone."""

    why: str
    hint: str


def formatted(file: File) -> str | Refused:
    """The text in one style, or why it is left alone."""
    if isinstance(file.raw, Found):
        return Refused(file.raw.says, file.raw.hint)
    before = read(file.name, file.raw)
    serious = [one for one in before.found if one.rule != "byte-order-mark"]
    if serious or before.data is None:
        first = serious[0]
        return Refused(f"line {first.at.line}: {first.says}", first.hint)
    text = _round_trip("\n".join(before.lines))
    after = read(file.name, text.encode())
    if after.found or not _same(before.data, after.data):
        return Refused("the style would change what it means", "write its values in a plainer way")
    lost = _comments(before) - _comments(after)
    if lost:
        return Refused(f"the comment `{min(lost)}` could not be kept", "move it to a line of its own, above its key")
    return text


def _round_trip(text: str) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415 - loaded for this alone

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 100_000  # lines are never folded: a folded line is another diff
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), _null)
    out = io.StringIO()
    yaml.dump(yaml.load(text), out)
    tidy = BLANK_LINES.sub("\n\n", ENDS.sub("", out.getvalue()))
    return "\n".join(_aligned(tidy.strip("\n").split("\n"))) + "\n"


def _aligned(lines: list[str]) -> list[str]:
    """Comments on lines of their own, indented as the line below them; before a blank line, as the line above them."""
    inside = _block_scalars(lines)
    alone = [line.lstrip().startswith("#") and number not in inside for number, line in enumerate(lines)]
    told = list(lines)
    for number in range(len(lines) - 1, -1, -1):
        if alone[number]:
            after = told[number + 1] if number + 1 < len(lines) else ""
            before = next((lines[one] for one in range(number - 1, -1, -1) if lines[one] and not alone[one]), "")
            told[number] = _indent(after or before) + lines[number].lstrip()
    return told


def _block_scalars(lines: list[str]) -> set[int]:
    """The numbers of the lines inside `|` and `>` texts, where a `#` is text."""
    inside: set[int] = set()
    opened: str | None = None
    for number, line in enumerate(lines):
        if opened is not None and (not line or len(_indent(line)) > len(opened)):
            inside.add(number)
            continue
        opened = _indent(line) if BLOCK_SCALAR.search(line) else None
    return inside


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _null(representer: Any, value: None) -> Any:  # noqa: ANN401 - ruamel.yaml's own types
    del value
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


def _same(one: object, other: object) -> bool:
    """Equal in value, type, and how numbers are written."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and str(one) == str(other)


def _comments(document: Document) -> set[str]:
    """Every comment, by its text. A `#` in a quoted value counts on both sides alike."""
    found = (COMMENT.search(line) for line in document.lines)
    return {match.group().strip() for match in found if match}
