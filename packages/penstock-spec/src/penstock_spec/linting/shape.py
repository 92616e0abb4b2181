"""Turn the validation errors of a model into findings at their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from penstock_spec.fields import nearest
from penstock_spec.findings import Span
from penstock_spec.kinds.kind import ForeignField
from penstock_spec.linting.suggestions import (
    at_path,
    choice,
    example,
    keys_beside,
    kind_of,
    required,
    split_pair,
    unknown_field,
)
from penstock_spec.model import Section
from penstock_spec.reading import Path, Problem, dotted, first
from penstock_spec.values.strings import printable
from penstock_spec.values.yaml_text import flow

At = Callable[[Path], Span]

EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "`true` or `false`",
    "model_type": "a section",
    "dict_type": "keys with values",
    "list_type": "a list",
}
BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
}
OR_REMOVE = ", or remove it"
YES_AND_NO = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


@dataclass(frozen=True, slots=True)
class ShapeCheck:
    """Data for a model, and the places of its values and keys."""

    model: type[Section]
    data: object
    at: At
    name_at: At
    foreign: Mapping[str, ForeignField]
    text: Callable[[Span], str]
    """The text at a place."""
    written: object
    """The data of the file itself, without defaults."""

    def deviations(self, error: ValidationError) -> list[Problem]:
        """The problems of a failed validation."""
        found = first(self._one(dict(detail)) for detail in error.errors(include_url=False))
        hints = {one.path: one.hint for one in found if one.rule == "unknown-field"}
        return [one for one in found if one.rule != "missing-field" or not _mistyped(one.path, hints)]

    def _one(self, detail: dict[str, Any]) -> Problem:
        kind, context = str(detail["type"]), detail.get("ctx") or {}
        path, rest = _path(self.data, detail["loc"])
        if kind == "extra_forbidden":
            return self._unknown(path)
        if kind == "missing":
            return self._missing(path, rest)
        if kind == "literal_error":
            return choice(
                self.model, str(context.get("expected", "")), detail.get("input"), self.at(path), dotted(path)
            )
        if kind == "wrong-type" and (mistyped := self._mistyped_key(path)) is not None:
            return self._unknown((*path, mistyped))
        place = self.name_at(path) if "[key]" in detail["loc"] else self.at(path)
        rule, says, hint = _describe(kind, detail, f"`{example(self.model, path)}`", self.text(place))
        if kind == "model_type" and (key := split_pair(detail.get("input"), keys_beside(self.model, path))):
            several = re.search(r"\s\w+:", key.partition(": ")[2])  # lines that YAML has joined
            hint = "put a space after each colon" if several else f"write `{key}`, with a space after the colon"
        if required(self.model, path):
            hint = hint.removesuffix(OR_REMOVE)
        return Problem(rule, place, says, hint, dotted(path))

    def _unknown(self, path: Path) -> Problem:
        rule, says, hint = unknown_field(self.model, path, self.foreign, self.data, self.written)
        return Problem(rule, self.name_at(path), says, hint, dotted(path))

    def _mistyped_key(self, path: Path) -> str | None:
        """The mistyped key of a value for which no section of a union fits."""
        beside = keys_beside(self.model, path)
        return next((key for key in at_path(self.data, path) if nearest(key, beside)), None)

    def _missing(self, path: Path, rest: tuple[str, ...]) -> Problem:
        full_path = (*path, *rest)
        says = f"`{dotted(full_path)}` is required, and has no default"
        at = self.name_at(path)
        inside = self.text(at).startswith(f"{dotted(path)}.")  # an override by path: there it is added by path as well
        key = dotted(full_path) if path and inside else rest[-1]
        hint = f"add it, such as `{key}: {example(self.model, full_path)}`"
        return Problem("missing-field", at, says, hint, dotted(full_path))


def _mistyped(path: str, hints: Mapping[str, str]) -> bool:
    """Whether the hint of an unknown field explains why this field is missing."""
    around, _, key = path.rpartition(".")
    beside = (hint for one, hint in hints.items() if one.rpartition(".")[0] == around)
    moved = (hint for one, hint in hints.items() if one.rpartition(".")[2] == key)
    return any(hint.startswith((f"write `{key}`", f"write `{key}:")) for hint in beside) or any(
        hint == f"move it to {f'`{around}`' if around else 'the top level'}" for hint in moved
    )


def _describe(kind: str, detail: Mapping[str, Any], such_as: str, text: str) -> tuple[str, str, str]:
    """The rule, the message and the hint for a value."""
    value, context = detail.get("input"), detail.get("ctx") or {}
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        return "out-of-range", f"`{printable(value)}` is out of bounds", f"write {words} `{context.get(name)}`"
    if kind == "too_short":
        return "out-of-range", "it is empty", f"write at least one, such as {such_as}"
    if kind in EXPECTED:
        return "wrong-type", f"expected {EXPECTED[kind]}, not {kind_of(value)}", _type_hint(kind, value, such_as, text)
    written = str(detail.get("msg") or "it cannot be read").replace("{{", "{").replace("}}", "}")
    says = str(context.get("says") or written)
    if kind == "wrong-type":
        says += f", not {kind_of(value)}"
    return kind, says, str(context.get("hint") or f"write it like {such_as}")


def _path(data: object, loc: tuple[int | str, ...]) -> tuple[Path, tuple[str, ...]]:
    """The part of a location that is in the data, and the rest. Tags of unions are skipped."""
    path: list[str | int] = []
    value: Any = data
    for index, step in enumerate(loc):
        if isinstance(step, str) and (step.startswith("~") or step == "[key]"):
            continue
        if isinstance(value, dict) and step in value:
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return tuple(path), tuple(str(one) for one in loc[index:] if not str(one).startswith("~"))
        path.append(step)
    return tuple(path), ()


def _type_hint(kind: str, value: object, example: str, written: str) -> str:
    """The hint for a value of the wrong type."""
    bare = ", without quotes" if written.startswith(("'", '"')) else ""
    text = value.lower() if isinstance(value, str) else ""
    if kind == "string_type" and (bare_text := _without_quotes(value, written)):
        return f'put it in quotes: `"{bare_text}"`'
    if kind == "int_type" and text.isdecimal():
        return f"write `{text}`{bare}"
    if kind == "bool_type" and text in YES_AND_NO:
        return f"write `{YES_AND_NO[text]}`{bare}"
    if kind == "bool_type":
        return "write `true` or `false`"
    if value is None:
        return f"write it like {example}{OR_REMOVE}"
    return f"write it like {example}"


def _without_quotes(value: object, written: str) -> str:
    """The text that was probably intended, if YAML reads another type."""
    if isinstance(value, (bool, int, float)):
        return flow(value)
    placeholder = isinstance(value, dict) and [*value.values()] == [None]  # as in `consumer: {hostname}`
    return printable(written) if placeholder and written.endswith("}") else ""
