"""What was probably meant: the nearest key, path, choice, or an example of the field."""

from __future__ import annotations

from collections.abc import Mapping

from penstock_spec.fields import FieldAt, elsewhere, fields_of, knows, nearest, parts_in
from penstock_spec.findings import Span
from penstock_spec.kinds.kind import Foreign
from penstock_spec.layers import FIXED
from penstock_spec.model import Part, key_of
from penstock_spec.reading import Found, Path, dotted
from penstock_spec.subject import steps
from penstock_spec.values.words import shown
from penstock_spec.values.yaml_text import flow


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


def choice(model: type[Part], expected: str, value: object, at: Span, where: str) -> Found:
    """The finding for a word that is not one of the choices, or for something else than a word."""
    choices = [one for part in expected.replace(" or ", ", ").split(", ") if (one := part.strip().strip("'"))]
    close = nearest(str(value), choices) if isinstance(value, str) else None
    if (value is False or value is None) and "none" in choices:
        close = "none"
    told = ", ".join(f"`{one}`" for one in (*choices, *_sections(model, where)))
    hint = f"write `{close}`" if close else f"write one of {told}" if "," in told else f"write {told}"
    if isinstance(value, str):
        return Found("unknown-choice", at, f"`{shown(value)}` is not one of the choices", hint, where)
    return Found("wrong-type", at, f"expected a word, not {kind_of(value)}", hint, where)


def example(model: type[Part], path: Path) -> str:
    """What one could write there."""
    field = _field(model, path)
    meant = field.info.examples[0] if field and field.info.examples else "..."
    if path and isinstance(path[-1], int) and isinstance(meant, list):
        meant = meant[0] if meant else "..."
    return flow(meant)


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
