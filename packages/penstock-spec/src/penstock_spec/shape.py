"""Does the data have the shape of its model? Every deviation becomes a finding at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from penstock_spec.fields import elsewhere, fields_of, knows, nearest
from penstock_spec.findings import Span
from penstock_spec.kinds.kind import Foreign
from penstock_spec.model import Part
from penstock_spec.reading import Found, Path, dotted, first
from penstock_spec.words import shown

At = Callable[[Path], Span]

EXPECTED = {
    "string_type": ("a word or text", 'put it in quotes, such as `"{value}"`'),
    "int_type": ("a whole number", "write it without quotes and without a fraction"),
    "int_from_float": ("a whole number", "write it without a fraction"),
    "float_type": ("a number", "write it without quotes"),
    "bool_type": ("`true` or `false`", "write `true` or `false`, without quotes"),
    "model_type": ("a section", "write its fields below it, or between `{{` and `}}`"),
    "model_attributes_type": ("a section", "write its fields below it, or between `{{` and `}}`"),
    "dict_type": ("keys with values", "write `key: value` below it, or between `{{` and `}}`"),
    "list_type": ("a list", "write it between `[` and `]`"),
}
BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


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
        example = _example(model, whole)
        says = f"`{whole}` is missing, and it has no default"
        return Found("missing-field", name_at(path), says, f"add it, such as `{rest[-1]}: {example}`", whole)
    if kind in ("literal_error", "enum"):
        return _choice(str(context.get("expected", "")), value, at(path), where)
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        says = f"{shown(value)} is out of bounds"
        return Found("out-of-range", at(path), says, f"write {words} {context.get(name)}", where)
    if kind in ("too_short", "string_too_short"):
        return Found("out-of-range", at(path), "it is empty", f"write {_example(model, where)}", where)
    if kind in EXPECTED:
        expected, hint = EXPECTED[kind]
        says = f"expected {expected}, not {_kind_of(value)}"
        return Found("wrong-type", at(path), says, hint.format(value=shown(value)), where)
    says = str(context.get("says") or detail.get("msg") or "it cannot be read").replace("{{", "{").replace("}}", "}")
    if kind == "wrong-type" and ", not " not in says:
        says += f", not {_kind_of(value)}"
    hint = str(context.get("hint") or f"write {_example(model, where)}")
    return Found(kind if "-" in kind else "wrong-type", at(path), says, hint, where)


def unknown_field(model: type[Part], path: Path, at: Span, foreign: Mapping[str, Foreign]) -> Found:
    """The finding for a key that the model does not have, with the key that was probably meant."""
    key = str(path[-1])
    around = dotted(path[:-1])
    beside = _beside(model, path[:-1])
    here = f"`{around}`" if around else "a spec"
    says = f"`{shown(key)}` is not a field of {here}"
    word = foreign.get(key)
    close = nearest(key, beside) or nearest(key.replace("-", "_").lower(), beside)
    if close:
        return Found("unknown-field", at, says, f"write `{close}`", dotted(path))
    if word is not None:
        return Found(word.rule, at, says, word.hint, dotted(path))
    moved = elsewhere(model, key)
    if moved:
        return Found(
            "unknown-field", at, says, f"it belongs under `{moved.rpartition('.')[0] or 'the top'}`", dotted(path)
        )
    fields = ", ".join(f"`{one}`" for one in beside[:12])
    return Found("unknown-field", at, says, f"take it out; the fields here are {fields}", dotted(path))


def unknown_path(model: type[Part], key: str, at: Span) -> Found | None:
    """The finding for a path in an override that leads nowhere, or None when it leads to a field."""
    if knows(model, key):
        return None
    paths = sorted(field.path for field in fields_of(model) if "[]" not in field.path)
    close = nearest(key, paths)
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


def _choice(expected: str, value: object, at: Span, where: str) -> Found:
    choices = [one for part in expected.replace(" or ", ", ").split(", ") if (one := part.strip().strip("'"))]
    close = nearest(str(value), choices) if isinstance(value, str) else None
    if isinstance(value, bool) and "none" in choices and not value:
        close = "none"
    told = ", ".join(f"`{one}`" for one in choices)
    says = (
        f"`{shown(value)}` is not one of the choices"
        if isinstance(value, str)
        else f"expected a word, not {_kind_of(value)}"
    )
    rule = "unknown-choice" if isinstance(value, str) else "wrong-type"
    return Found(rule, at, says, f"write `{close}`" if close else f"write one of {told}", where)


def _example(model: type[Part], path: str) -> str:
    plain = "".join(f"[]" if part.endswith("]") else part for part in path.replace("[", "\0[").split("\0"))
    for field in fields_of(model):
        if field.path == plain or field.path.rpartition(".")[2] == path.rpartition(".")[2]:
            examples = field.info.examples or ["..."]
            return flow(examples[0])
    return "..."


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
    return (
        f'"{text}"' if isinstance(value, str) and (text[:1] in "#&*!|>%@`{[" or ": " in text or " #" in text) else text
    )


def _kind_of(value: object) -> str:
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
