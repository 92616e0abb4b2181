"""Explains a line of a generated file.

Its fields are found by experiment: each field gets another value, one at a time, and those that change the line are its
causes. This works for every kind of file, and for templates that a repository overrides.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from penstock_generate.explaining.inputs import Cause, Inputs, inputs_of
from penstock_generate.explaining.template_lines import Marks, places, without
from penstock_generate.inputs.source import Source
from penstock_generate.own_templates import FOLDER as TEMPLATES
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_generate.tree.listing import NAME
from penstock_spec.findings import CannotGoOn


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one line."""

    text: str
    causes: tuple[Cause, ...]
    maker: str
    """A line of a template, or a module."""


def explain(source: Source, path: str, content: str, number: int) -> Explanation:
    """Explain a line, counted from 1, of a file of `generated/` with this content."""
    lines = content.splitlines()
    if not 1 <= number <= len(lines):
        raise CannotGoOn(f"`{path}` has {len(lines)} lines", "name one of them")
    if path.rpartition("/")[2] == NAME:
        message = f"`{path}` only lists the files of its folder"
        raise CannotGoOn(message, "name a line of another file there")
    inputs = inputs_of(source, path)
    artifact = _one(inputs.emit(source.templates), path)
    body = artifact.content.splitlines()
    index = number - 1 - (len(lines) - len(body))
    if lines[len(lines) - len(body) :] != body:
        raise CannotGoOn(f"`{path}` is not up to date", "run `penstock generate`, then try again")
    if index < 0:
        raise CannotGoOn(f"line {number} of `{path}` is its header", "name a line below it")
    causes = {cause.path: cause for cause, other in _tried(source, inputs, path) if _changes(body, other, index)}
    return Explanation(body[index], tuple(causes.values()), _maker(source, inputs, artifact, index))


def _tried(source: Source, inputs: Inputs, path: str) -> Iterator[tuple[Cause, list[str]]]:
    """The file with each other value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydantic warns about the made-up values
        for cause, emit in inputs.variations():
            try:
                other = _one(emit(source.templates), path)
            except Exception:  # noqa: BLE001, S112 - no rule has seen these values
                continue
            yield cause, other.content.splitlines()


def _one(artifacts: Iterable[Artifact], path: str) -> Artifact:
    for one in artifacts:
        if one.path == path:
            return one
    raise CannotGoOn(f"`{path}` is not generated", "see `penstock check`")


def _changes(lines: list[str], other: list[str], index: int) -> bool:
    """Whether a line differs or is missing."""
    if len(lines) == len(other):
        return lines[index] != other[index]
    same = next((at for at, (one, two) in enumerate(zip(lines, other, strict=False)) if one != two), None)
    if same is None or index < same:
        return index >= min(len(lines), len(other))
    blocks = SequenceMatcher(None, lines[same:], other[same:], autojunk=False).get_matching_blocks()
    return not any(block.a <= index - same < block.a + block.size for block in blocks)


def _maker(source: Source, inputs: Inputs, artifact: Artifact, index: int) -> str:
    if artifact.copied:
        return _named(source, f"{artifact.maker.removeprefix(f'{TEMPLATES}/')}:{index + 1}")
    if not artifact.maker.startswith(f"{TEMPLATES}/"):
        return artifact.maker
    marked = _one(inputs.unpatched(Templates(source.root / TEMPLATES, [Marks])), artifact.path).content
    template_lines = places(marked)
    unpatched, body = without(marked).splitlines(), artifact.content.splitlines()
    if unpatched == body:
        return _named(source, template_lines[index])
    # A patched file is written from data: match its lines with those of the template.
    for block in SequenceMatcher(None, _words(unpatched), _words(body), autojunk=False).get_matching_blocks():
        if block.b <= index < block.b + block.size:
            return _named(source, template_lines[block.a + index - block.b])
    return f"{_named(source, artifact.maker.removeprefix(f'{TEMPLATES}/'))}, patched"


def _named(source: Source, place: str) -> str:
    """A line of a template by its path if it is in this repository, otherwise as Penstock's."""
    is_here = (source.root / TEMPLATES / place.partition(":")[0]).is_file()
    return f"{TEMPLATES}/{place}" if is_here else f"Penstock's template {place}"


def _words(lines: list[str]) -> list[str]:
    return [line.strip().removeprefix("- ") for line in lines]
