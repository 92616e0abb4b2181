"""Apply JSON patches (RFC 6902) to a manifest, and remember the author of each value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock_spec.fields import nearest
from penstock_spec.layers import copied
from penstock_spec.reading import Path
from penstock_spec.sections import Patch
from penstock_spec.values.display import many
from penstock_spec.values.strings import printable

INDEX = re.compile(r"0|[1-9][0-9]{0,5}")


@dataclass(frozen=True, slots=True)
class PatchProblem:
    """A patch with a path that does not exist in the manifest."""

    index: int
    says: str
    hint: str


@dataclass(frozen=True, slots=True)
class PatchedManifest:
    """A manifest after its patches. Paths into the spec start with `patches`."""

    manifest: Any
    written: dict[Path, Path] = field(default_factory=dict)
    """By place in the manifest: the path in the spec of its value."""
    removed: dict[Path, Path] = field(default_factory=dict)
    """By place: the patch that removed its value. Removed items of a list have the place `-`, as others move up."""
    nowhere: tuple[PatchProblem, ...] = ()

    def author(self, place: Path) -> Path | None:
        """The path in the spec that set this place, or last changed something at or below it."""
        for end in range(len(place), 0, -1):
            if place[:end] in self.removed:
                return self.removed[place[:end]]
            if place[:end] in self.written:
                return self.written[place[:end]] + place[end:]
        known = (*self.written.items(), *self.removed.items())
        below = [by for where, by in known if where[: len(place)] == place]
        return max(below, key=_index) if below else None


def steps_of(pointer: str) -> tuple[str, ...]:
    """The steps of a JSON pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointer(steps: Path) -> str:
    """Steps as a JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def patched(manifest: Any, patches: Sequence[Patch], target: str) -> PatchedManifest:  # noqa: ANN401 - any manifest
    """Apply the patches for a target in their order. Those that cannot be applied are problems in the result."""
    result = PatchedManifest(copied(manifest))
    nowhere = []
    for index, patch in enumerate(patches):
        if patch.target == target and (problem := _apply(result, index, patch)):
            nowhere.append(problem)
    return PatchedManifest(result.manifest, result.written, result.removed, tuple(nowhere))


def _apply(result: PatchedManifest, index: int, patch: Patch) -> PatchProblem | None:
    steps = steps_of(patch.path)
    section, place, missing = _walk(result.manifest, steps[:-1])
    if missing is not None:
        return _nowhere(index, patch, len(place), section)
    last = steps[-1]
    if isinstance(section, list):
        adding = patch.op == "add"
        position = len(section) if adding and last == "-" else _position(last, len(section) + adding)
        if position is None:
            return _nowhere(index, patch, len(place), section)
        _change_item(result, section, (*place, position), index, patch)
        return None
    if not isinstance(section, dict) or (patch.op != "add" and last not in section):
        return _nowhere(index, patch, len(place), section)
    _forget(result, (*place, last))
    if patch.op == "remove":
        del section[last]
        result.removed[(*place, last)] = ("patches", index, "path")
    else:
        section[last] = copied(patch.value)
        result.written[(*place, last)] = ("patches", index, "value")
    return None


def _change_item(result: PatchedManifest, items: list[Any], place: Path, index: int, patch: Patch) -> None:
    around, position = place[:-1], int(place[-1])
    if patch.op == "replace":
        _forget(result, place)
        items[position] = copied(patch.value)
    elif patch.op == "add":
        _shift(result, around, position, 1)
        items.insert(position, copied(patch.value))
    else:
        _forget(result, place)
        del items[position]
        _shift(result, around, position, -1)
        result.removed[(*around, "-")] = ("patches", index, "path")
        return
    result.written[place] = ("patches", index, "value")


def _walk(manifest: Any, steps: tuple[str, ...]) -> tuple[Any, Path, str | None]:  # noqa: ANN401 - as above
    """The value at the end of the steps, the place reached, and the first step that does not exist."""
    place: list[str | int] = []
    for step in steps:
        position = _position(step, len(manifest)) if isinstance(manifest, list) else None
        if position is not None:
            manifest = manifest[position]
            place.append(position)
        elif isinstance(manifest, dict) and step in manifest:
            manifest = manifest[step]
            place.append(step)
        else:
            return manifest, tuple(place), step
    return manifest, tuple(place), None


def _position(step: str, length: int) -> int | None:
    return int(step) if INDEX.fullmatch(step) and int(step) < length else None


def _nowhere(index: int, patch: Patch, depth: int, section: Any) -> PatchProblem:  # noqa: ANN401 - any value
    """Report the first step that does not exist, with a suggestion."""
    steps = steps_of(patch.path)
    around, step = pointer(steps[:depth]), steps[depth]
    if isinstance(section, list):
        says = f"`{around}` has {many(len(section), 'item')}, but no item `{printable(step)}`"
        return PatchProblem(index, says, "count from 0, or add at the end with `-`")
    if not isinstance(section, dict):
        return PatchProblem(index, f"`{around}` is a value without fields", f"end the path at `{around}`")
    says = f"there is no `{printable(step)}`" + (f" in `{around}`" if around else "")
    close = nearest(step, [key for key in section if isinstance(key, str)])
    if close:
        hint = f"write `{pointer((*steps[:depth], close, *steps[depth + 1 :]))}`"
    elif depth + 1 < len(steps):
        hint = f"add `{around}/{printable(step)}` as a whole"
    else:
        hint = "remove the patch" if patch.op == "remove" else "write `op: add`, which creates it"
    return PatchProblem(index, says, hint)


def _forget(result: PatchedManifest, place: Path) -> None:
    for known in (result.written, result.removed):
        for where in [where for where in known if where[: len(place)] == place]:
            del known[where]


def _shift(result: PatchedManifest, around: Path, position: int, by: int) -> None:
    """Move the places of patched values after items of their list have moved."""
    depth = len(around)
    for known in (result.written, result.removed):
        moved = {}
        for where in list(known):
            step = where[depth] if len(where) > depth and where[:depth] == around else None
            if isinstance(step, int) and step >= position:
                moved[(*around, step + by, *where[depth + 1 :])] = known.pop(where)
        known.update(moved)


def _index(path: Path) -> int:
    return int(path[1])
