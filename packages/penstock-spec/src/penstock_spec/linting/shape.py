"""Does the data have the shape of its model? Every deviation becomes a finding at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from penstock_spec.findings import Span
from penstock_spec.kinds.kind import Foreign
from penstock_spec.linting.meant import choice, example, kind_of, unknown_field
from penstock_spec.model import Part
from penstock_spec.reading import Found, Path, dotted, first
from penstock_spec.values.words import shown
from penstock_spec.values.yaml_text import flow

At = Callable[[Path], Span]

EXPECTED = {
    "string_type": "a word or text",
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
YES_AND_NO = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


@dataclass(frozen=True, slots=True)
class Shape:
    """Data that should have the shape of a model, and where its values and their keys stand."""

    model: type[Part]
    data: object
    at: At
    name_at: At
    foreign: Mapping[str, Foreign]

    def deviations(self, error: ValidationError) -> list[Found]:
        """The findings for a validation that failed."""
        return first(self._one(dict(detail)) for detail in error.errors(include_url=False))

    def _one(self, detail: dict[str, Any]) -> Found:
        kind, context = str(detail["type"]), detail.get("ctx") or {}
        path, rest = _path(self.data, detail["loc"])
        if kind == "extra_forbidden":
            return unknown_field(self.model, path, self.name_at(path), self.foreign)
        if kind == "missing":
            return self._missing(path, rest)
        if kind == "literal_error":
            return choice(
                self.model, str(context.get("expected", "")), detail.get("input"), self.at(path), dotted(path)
            )
        place = self.name_at(path) if "[key]" in detail["loc"] else self.at(path)
        rule, says, hint = _told(kind, detail, f"`{example(self.model, path)}`")
        return Found(rule, place, says, hint, dotted(path))

    def _missing(self, path: Path, rest: tuple[str, ...]) -> Found:
        whole = (*path, *rest)
        says = f"`{dotted(whole)}` is missing, and it has no default"
        hint = f"add it, such as `{rest[-1]}: {example(self.model, whole)}`"
        return Found("missing-field", self.name_at(path), says, hint, dotted(whole))


def _told(kind: str, detail: Mapping[str, Any], such_as: str) -> tuple[str, str, str]:
    """The rule, what is wrong with a value, and the way out."""
    value, context = detail.get("input"), detail.get("ctx") or {}
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        return "out-of-range", f"`{shown(value)}` is out of bounds", f"write {words} `{context.get(name)}`"
    if kind == "too_short":
        return "out-of-range", "it is empty", f"write at least one, such as {such_as}"
    if kind in EXPECTED:
        return "wrong-type", f"expected {EXPECTED[kind]}, not {kind_of(value)}", _way_out(kind, value, such_as)
    says = str(context.get("says") or detail.get("msg") or "it cannot be read").replace("{{", "{").replace("}}", "}")
    if kind == "wrong-type":
        says += f", not {kind_of(value)}"
    return kind, says, str(context.get("hint") or f"write it such as {such_as}")


def _path(data: object, loc: tuple[int | str, ...]) -> tuple[Path, tuple[str, ...]]:
    """The part of a location that is in the data, and what is missing from it. Tags of unions are stepped over."""
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


def _way_out(kind: str, value: object, example: str) -> str:
    """The hint for a value of another type."""
    text = value.lower() if isinstance(value, str) else ""
    if kind == "string_type" and isinstance(value, (bool, int, float)):
        return f'put it in quotes: `"{flow(value)}"`'
    if kind == "int_type" and text.isdecimal():
        return f"write `{text}`, without quotes"
    if kind == "bool_type" and text in YES_AND_NO:
        return f"write `{YES_AND_NO[text]}`, without quotes"
    if kind == "bool_type":
        return "write `true` or `false`, without quotes"
    if value is None:
        return f"write it such as {example}, or take the line out"
    return f"write it such as {example}"
