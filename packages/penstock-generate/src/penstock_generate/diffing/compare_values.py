"""Compares two values down to their leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

LONGEST = 60
"""The limit of a value that is shown, in characters."""


class ValueChange(NamedTuple):
    """A place where two values differ; `MISSING` stands for the absent side."""

    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        """`timeout 30s -> 45s`."""
        if self.before is MISSING:
            return f"{self.path} {shortened(self.after)} added".lstrip()
        if self.after is MISSING:
            return f"{self.path} {shortened(self.before)} removed".lstrip()
        return f"{self.path} {shortened(self.before)} -> {shortened(self.after)}".lstrip()


MISSING: Any = object()


def changed(before: Any, after: Any, path: str = "") -> Iterator[ValueChange]:  # noqa: ANN401 - whatever JSON holds
    """All places that differ, in the order of the new value. Items of lists are matched by `name`, if they have one."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in (*after, *(key for key in before if key not in after)):
            inside = f"{path}.{key}" if path else str(key)
            yield from changed(before.get(key, MISSING), after.get(key, MISSING), inside)
    elif _named(before) and _named(after):
        yield from _of_items({one["name"]: one for one in before}, {one["name"]: one for one in after}, path)
    elif isinstance(before, list) and isinstance(after, list) and any(map(_has_parts, (*before, *after))):
        yield from _of_items(dict(enumerate(before)), dict(enumerate(after)), path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from (ValueChange(path, MISSING, one) for one in after if one not in before)
        yield from (ValueChange(path, one, MISSING) for one in before if one not in after)
    elif before != after:
        yield ValueChange(path, before, after)


def _of_items(before: dict[Any, Any], after: dict[Any, Any], path: str) -> Iterator[ValueChange]:
    for key in (*after, *(key for key in before if key not in after)):
        yield from changed(before.get(key, MISSING), after.get(key, MISSING), f"{path}[{key}]")


def _named(value: Any) -> bool:  # noqa: ANN401 - as above
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "name" in one for one in value)


def _has_parts(value: Any) -> bool:  # noqa: ANN401 - as above
    return isinstance(value, (dict, list))


def shortened(value: Any) -> str:  # noqa: ANN401 - as above
    """On one line, shortened."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
