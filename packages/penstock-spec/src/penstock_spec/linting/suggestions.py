"""Suggestions for hints: the nearest key, path or choice, or an example of the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from penstock_spec.context import steps
from penstock_spec.fields import FieldAt, fields_of, has_path, nearest, parts_in, path_of_key
from penstock_spec.findings import Span
from penstock_spec.kinds.kind import ForeignField, Kind
from penstock_spec.layers import FIXED
from penstock_spec.model import Section, key_of
from penstock_spec.reading import Path, Problem, dotted
from penstock_spec.values.strings import printable
from penstock_spec.values.yaml_text import flow

NUMBER = re.compile(r"\[[0-9]+\]")


def unknown_field(
    model: type[Section], path: Path, foreign: Mapping[str, ForeignField], data: object, written: object
) -> tuple[str, str, str]:
    """The rule, the message and the hint for a key that the model does not have."""
    key = str(path[-1])
    section = at_path(data, path[:-1])
    beside = keys_beside(model, path[:-1])
    around = dotted(path[:-1])
    here = f"`{around}`" if around else "this file"
    if key in beside:  # of the same union, in which other keys choose another section
        others = ", ".join(f"`{one}`" for one in section if one != key)
        return "unknown-field", f"`{key}` cannot be combined with {others} in {here}", "keep one of the two"
    says = f"`{printable(key)}` is not a field of {here}"
    rest = section.get(key)
    if pair := split_pair(key if rest is None else f"{key}: {rest}", beside):
        return "unknown-field", says, f"write `{pair}`, with a space after the colon"
    replacement = foreign.get(key)
    if replacement is not None:
        return replacement.rule, says, _relative(replacement.hint, around, model)
    return "unknown-field", says, _suggest_key(model, path, beside, written)


def _relative(hint: str, around: str, model: type[Section]) -> str:
    """Rewrite a hint with paths for a file, where keys are relative to their section."""
    start, write, fields = hint.partition("write ")

    def field(match: re.Match[str]) -> str:
        section, _, name = match[1].rpartition(".")
        if not has_path(model, match[1]):
            return match[0]
        if section == around:
            return f"`{name}{match[2]}`"
        return f"`{name}{match[2]}` " + (f"under `{section}`" if section else "at the top level")

    return start + write + re.sub(r"`([\w.]+)((?:: [^`]*)?)`", field, fields)


def _suggest_key(model: type[Section], path: Path, beside: tuple[str, ...], written: object) -> str:
    """The hint for an unknown key."""
    key = str(path[-1])
    close = nearest(key, beside) or nearest(key.replace("-", "_").lower(), beside)
    if close in at_path(written, path[:-1]):
        return f"remove it; `{close}` is already there"
    if close:
        return f"write `{close}`"
    # A key of an item does not belong to a section outside the list.
    inside = any(isinstance(step, int) for step in path)
    moved = [] if inside else sections_with(model, key)
    if len(moved) == 1 and key in at_path(written, steps(moved[0])):
        there = f"{moved[0]}.{key}".lstrip(".")
        return f"remove it; `{there}` is already there"
    if moved:
        return "move it to " + " or ".join(f"`{one}`" if one else "the top level" for one in moved)
    fields = ", ".join(f"`{one}`" for one in beside[:12])
    more = ", ..." if len(beside) > 12 else ""  # noqa: PLR2004 - about a line
    return f"remove it; the fields here are {fields}{more}"


def split_pair(text: object, keys: tuple[str, ...]) -> str:
    """The key and the value in a text that YAML read as one word: `concurrency:3` in braces."""
    match = re.fullmatch(r"(\w+)(?::| +:?) *([^\s:].*)", text) if isinstance(text, str) else None
    return f"{match[1]}: {printable(match[2])}" if match and match[1] in keys else ""


def sections_with(model: type[Section], key: str) -> list[str]:
    """The sections that have a field of this name, for a key in the wrong one; none if there are many."""
    paths = [
        field.path.rpartition(".") for field in fields_of(model) if "*" not in field.path and "[]" not in field.path
    ]
    sections = list(dict.fromkeys(section for section, _, name in paths if name == key))
    return sections if len(sections) <= 3 else []  # noqa: PLR2004 - a hint that can be followed


def unknown_path(kind: Kind, key: str, overrides: Mapping[str, object]) -> tuple[str, str] | None:
    """The message and the hint for an unknown path in an override; None if the path exists."""
    if has_path(kind.model, key):
        return None
    says = f"`{printable(key)}` is not the path of a field"
    if outer := _within(kind.model, key):
        return f"`{printable(key)}` would be a part of `{outer}`, which is one value", f"write the whole of `{outer}`"
    if replacement := kind.foreign_fields.get(key.rpartition(".")[2]):
        return says, replacement.hint
    close = nearest_path(kind.model, key, FIXED)
    if close in overrides:
        return says, f"remove it; `{close}` is already there"
    return says, f"write `{close}`" if close else "write the path of a field, such as `work.timeout`"


def nearest_path(model: type[Section], key: str, without: tuple[str, ...] = ()) -> str | None:
    """The most similar path of a field."""
    paths = sorted(field.path for field in fields_of(model) if not set("[*") & set(field.path))
    close = nearest(key, [path for path in paths if path.partition(".")[0] not in without])
    return close or path_of_key(model, key.rpartition(".")[2])


def can_have_findings(model: type[Section], path: str) -> bool:
    """Whether a finding can be at this path. A path inside a field with arbitrary content can have findings."""
    return has_path(model, NUMBER.sub("[]", path).removesuffix("[]")) or bool(_within(model, path))


def _within(model: type[Section], path: str) -> str:
    """The path of the field with arbitrary content around this path, such as `message.schema`."""
    words = [str(step) for step in steps(path) if isinstance(step, str)]
    for end in range(len(words) - 1, 0, -1):
        field = _field(model, tuple(words[:end]))
        if field:
            return ".".join(words[:end]) if _anything(field.info.annotation) else ""
    return ""


def _anything(annotation: Any) -> bool:  # noqa: ANN401 - any type expression
    """Whether the type is a mapping with arbitrary content, or a union with one."""
    inside = get_args(annotation)
    return (get_origin(annotation) is dict and (inside[1] is Any or _anything(inside[1]))) or (
        get_origin(annotation) in (Annotated, Union, UnionType) and any(_anything(one) for one in inside)
    )


def choice(model: type[Section], expected: str, value: object, at: Span, where: str) -> Problem:
    """The problem of a value that is not one of the choices."""
    choices = [one for part in expected.replace(" or ", ", ").split(", ") if (one := part.strip().strip("'"))]
    close = nearest(str(value), choices) if isinstance(value, str) else None
    if (value is False or value is None) and "none" in choices:
        close = "none"
    allowed = ", ".join(f"`{one}`" for one in (*choices, *_sections(model, where)))
    hint = f"write `{close}`" if close else f"write one of {allowed}" if "," in allowed else f"write {allowed}"
    if isinstance(value, str):
        return Problem("unknown-choice", at, f"`{printable(value)}` is not one of the choices", hint, where)
    return Problem("wrong-type", at, f"expected a word, not {kind_of(value)}", hint, where)


def example(model: type[Section], path: Path) -> str:
    """An example for a field."""
    field = _field(model, path)
    value = field.info.examples[0] if field and field.info.examples else "..."
    if field and value == []:
        value = [_with_required_fields(part) for part, _ in parts_in(field.info.annotation)]
    if path and isinstance(path[-1], int) and isinstance(value, list):
        value = value[0] if value else "..."
    return flow(value)


def _with_required_fields(model: type[Section]) -> dict[str, Any]:
    """A section with its required fields."""
    fields = {key_of(name, info): info for name, info in model.model_fields.items() if info.is_required()}
    return {key: (info.examples or ["..."])[0] for key, info in fields.items()}


def required(model: type[Section], path: Path) -> bool:
    """Whether the field at a path has no default."""
    field = _field(model, path)
    return bool(field and field.required)


def at_path(data: object, path: Path) -> Mapping[str, Any]:
    """The section at a path; empty if there is none."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(str(step))
        else:
            data = data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None
    return data if isinstance(data, dict) else {}


def kind_of(value: object) -> str:
    """A value in the words of a message."""
    if value is None:
        return "an empty value (null)"
    if isinstance(value, bool):
        return f"`{'true' if value else 'false'}`"
    if isinstance(value, (int, float)):
        return f"the number `{value}`"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a section"
    return f"the text `{printable(value)}`"


def keys_beside(model: type[Section], path: Path) -> tuple[str, ...]:
    """The keys of a section."""
    steps = [step for step in path if isinstance(step, str)]
    depth = len(steps)
    keys: dict[str, None] = {}
    for field in fields_of(model):
        parts = field.path.replace("[]", "").split(".")
        if len(parts) == depth + 1 and all(p in ("*", s) for p, s in zip(parts, steps, strict=False)):
            keys[parts[-1]] = None
    return tuple(keys)


def _sections(model: type[Section], where: str) -> list[str]:
    """The sections that the field accepts besides a word, each with its first field."""
    field = _field(model, steps(where))
    parts = [part for part, _ in parts_in(field.info.annotation)] if field else []
    firsts = [next(iter(part.model_fields.items())) for part in parts]
    return [flow({key_of(name, info): (info.examples or ["..."])[0]}) for name, info in firsts]


def _field(model: type[Section], path: Path) -> FieldAt | None:
    """The field at a path with chosen keys and numbers of items."""
    words = tuple(str(step) for step in path if isinstance(step, str))
    for field in fields_of(model):
        pattern = field.path.replace("[]", "").split(".")
        if len(pattern) == len(words) and all(p in ("*", w) for p, w in zip(pattern, words, strict=True)):
            return field
    return None
