"""Does the data have the shape of its model? Every deviation becomes a finding at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from penstock_spec.fields import FieldAt, elsewhere, fields_of, knows, nearest, parts_in
from penstock_spec.findings import Span
from penstock_spec.kinds.kind import Foreign
from penstock_spec.layers import FIXED
from penstock_spec.model import Part, key_of
from penstock_spec.reading import Found, Path, dotted, first
from penstock_spec.reading.scalars import plain
from penstock_spec.subject import steps
from penstock_spec.words import shown

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


def deviations(
    model: type[Part],
    error: ValidationError,
    data: object,
    at: At,
    name_at: At,
    foreign: Mapping[str, Foreign],
) -> list[Found]:
    """The findings for a validation that failed."""
    located = ((dict(detail), *_path(data, detail["loc"])) for detail in error.errors(include_url=False))
    return first(_one(model, detail, path, rest, at, name_at, foreign) for detail, path, rest in located)


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


def _one(
    model: type[Part],
    detail: dict[str, Any],
    path: Path,
    rest: tuple[str, ...],
    at: At,
    name_at: At,
    foreign: Mapping[str, Foreign],
) -> Found:
    kind, value, context = str(detail["type"]), detail.get("input"), detail.get("ctx") or {}
    where = dotted(path)
    if kind == "extra_forbidden":
        return unknown_field(model, path, name_at(path), foreign)
    if kind == "missing":
        whole = dotted((*path, *rest))
        example = _example(model, (*path, *rest))
        says = f"`{whole}` is missing, and it has no default"
        return Found("missing-field", name_at(path), says, f"add it, such as `{rest[-1]}: {example}`", whole)
    if kind == "literal_error":
        return _choice(model, str(context.get("expected", "")), value, at(path), where)
    example = f"`{_example(model, path)}`"
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        says = f"`{shown(value)}` is out of bounds"
        return Found("out-of-range", at(path), says, f"write {words} `{context.get(name)}`", where)
    if kind == "too_short":
        return Found("out-of-range", at(path), "it is empty", f"write at least one, such as {example}", where)
    if kind in EXPECTED:
        says = f"expected {EXPECTED[kind]}, not {kind_of(value)}"
        return Found("wrong-type", at(path), says, _way_out(kind, value, example), where)
    says = str(context.get("says") or detail.get("msg") or "it cannot be read").replace("{{", "{").replace("}}", "}")
    if kind == "wrong-type":
        says += f", not {kind_of(value)}"
    hint = str(context.get("hint") or f"write it such as {example}")
    place = name_at(path) if "[key]" in detail["loc"] else at(path)
    return Found(kind, place, says, hint, where)


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


def unknown_field(model: type[Part], path: Path, at: Span, foreign: Mapping[str, Foreign]) -> Found:
    """The finding for a key that the model does not have, with the key that was probably meant."""
    key = str(path[-1])
    around = dotted(path[:-1])
    beside = _beside(model, path[:-1])
    here = f"`{around}`" if around else "this file"
    says = f"`{shown(key)}` is not a field of {here}"
    word = foreign.get(key)
    if word is not None:
        return Found(word.rule, at, says, word.hint, dotted(path))
    close = nearest(key, beside) or nearest(key.replace("-", "_").lower(), beside)
    if close:
        return Found("unknown-field", at, says, f"write `{close}`", dotted(path))
    moved = sections_with(model, key)
    if moved:
        hint = "move it to " + " or ".join(f"`{one}`" if one else "the top" for one in moved)
        return Found("unknown-field", at, says, hint, dotted(path))
    fields = ", ".join(f"`{one}`" for one in beside[:12])
    more = ", ..." if len(beside) > 12 else ""  # noqa: PLR2004 - about a line
    return Found("unknown-field", at, says, f"take it out; the fields here are {fields}{more}", dotted(path))


def sections_with(model: type[Part], key: str) -> list[str]:
    """The sections that have a field of this name, when a key was put into the wrong one; none where they are many."""
    paths = [
        field.path.rpartition(".") for field in fields_of(model) if "*" not in field.path and "[]" not in field.path
    ]
    sections = list(dict.fromkeys(section for section, _, name in paths if name == key))
    return sections if len(sections) <= 3 else []  # noqa: PLR2004 - a hint that can be followed


def unknown_path(model: type[Part], key: str, at: Span) -> Found | None:
    """The finding for a path in an override that leads nowhere, or None when it leads to a field."""
    if knows(model, key):
        return None
    paths = sorted(field.path for field in fields_of(model) if not set("[*") & set(field.path))
    close = nearest(key, [path for path in paths if path.partition(".")[0] not in FIXED])
    last = elsewhere(model, key.rpartition(".")[2])
    hint = f"write `{close or last}`" if close or last else "write the path of a field, such as `work.timeout`"
    return Found("unknown-override", at, f"`{shown(key)}` is not the path of a field", hint, key)


def _beside(model: type[Part], path: Path) -> tuple[str, ...]:
    """The keys that a section may have."""
    steps = [step for step in path if isinstance(step, str)]
    depth = len(steps)
    keys: dict[str, None] = {}
    for field in fields_of(model):
        parts = field.path.replace("[]", "").split(".")
        if len(parts) == depth + 1 and all(p in ("*", s) for p, s in zip(parts, steps, strict=False)):
            keys[parts[-1]] = None
    return tuple(keys)


def _choice(model: type[Part], expected: str, value: object, at: Span, where: str) -> Found:
    choices = [one for part in expected.replace(" or ", ", ").split(", ") if (one := part.strip().strip("'"))]
    close = nearest(str(value), choices) if isinstance(value, str) else None
    if value is False and "none" in choices:
        close = "none"
    if value is None and "none" in choices:
        close = "none"
    told = ", ".join(f"`{one}`" for one in (*choices, *_sections(model, where)))
    hint = f"write `{close}`" if close else f"write one of {told}" if "," in told else f"write {told}"
    if isinstance(value, str):
        return Found("unknown-choice", at, f"`{shown(value)}` is not one of the choices", hint, where)
    return Found("wrong-type", at, f"expected a word, not {kind_of(value)}", hint, where)


def _sections(model: type[Part], where: str) -> list[str]:
    """The sections that may stand where a word may stand too, each with its first field."""
    field = _field(model, steps(where))
    parts = [part for part, _ in parts_in(field.info.annotation)] if field else []
    firsts = [next(iter(part.model_fields.items())) for part in parts]
    return [flow({key_of(name, info): (info.examples or ["..."])[0]}) for name, info in firsts]


def _field(model: type[Part], path: Path) -> FieldAt | None:
    """The field at a path, in which chosen keys and the numbers of items stand."""
    words = tuple(str(step) for step in path if isinstance(step, str))
    for field in fields_of(model):
        pattern = field.path.replace("[]", "").split(".")
        if len(pattern) == len(words) and all(p in ("*", w) for p, w in zip(pattern, words, strict=True)):
            return field
    return None


def _example(model: type[Part], path: Path) -> str:
    """What one could write there."""
    field = _field(model, path)
    example = field.info.examples[0] if field and field.info.examples else "..."
    if path and isinstance(path[-1], int) and isinstance(example, list):
        example = example[0] if example else "..."
    return flow(example)


def flow(value: object) -> str:
    """A value as one would write it in a line of YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    text = str(value)
    if isinstance(value, str) and not isinstance(plain(value), str):
        return f'"{text}"'
    return (
        f'"{text}"' if isinstance(value, str) and (text[:1] in "#&*!|>%@`{[" or ": " in text or " #" in text) else text
    )


def kind_of(value: object) -> str:
    """A value as a message speaks of it."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return f"`{'true' if value else 'false'}`"
    if isinstance(value, (int, float)):
        return f"the number `{value}`"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a section"
    return f"the text `{shown(value)}`"
