"""The page of a model: every field with its type, default, meaning and an example."""

from __future__ import annotations

from penstock_spec.fields import FieldAt, fields_of
from penstock_spec.model import Section
from penstock_spec.platform import Platform
from penstock_spec.reference import values
from penstock_spec.reference.table import table
from penstock_spec.reference.types import in_words, keys_of
from penstock_spec.values.yaml_text import flow

WRITTEN = {
    "duration": (
        "whole numbers with the units `d`, `h`, `m`, `s` and `ms`, largest first: `500ms`, `30s`, `1h30m`, `7d`; "
        "seconds may have a fraction: `1.5s`"
    ),
    "size": (
        "a number with `Ki`, `Mi`, `Gi`, `Ti` (powers of 1,024) or `k`, `M`, `G`, `T` (powers of 1,000): `256Ki`; "
        "bytes without a unit"
    ),
    "share of CPUs": "thousandths, or whole CPUs and fractions: `250m`, `0.5`, `2`",
    "version": "two or three numbers, quoted or not: `1.36`",
    "name": (
        "lower-case letters, digits and hyphens, no hyphen first or last; at most 54 characters where Kubernetes adds "
        "to it, else 63"
    ),
    "key": "1 to 512 characters without spaces; no braces, or one hash tag such as `{media}`; a group has no braces",
    "date": "`2027-01-31`",
    "section": "fields, below it or between `{` and `}`",
    "paths and values": "the path of a field as the key: `stream.backlog.limit: 10000`",
}
NAMES = """\
`<name>` in a path is a name that you choose, `[]` an item of a list. *derived* tells how a default follows from other
fields. What is *required* below a section is so only where the section is written.
"""
PLATFORM = """\
`penstock.yaml` at the root of a repository: what holds for every pipeline of an environment, written once by those who
run the platform.
"""
SPEC = """\
One file under `specs/` for each. Only {required} have no default.

A value comes from the first of these that says something at its path: the spec's `environments.<name>`, the spec, the
platform file's `environments.<name>.defaults`, its `defaults`, what follows from other fields, the default below.
"""
EDITOR = "An editor completes and explains all of it with [its schema](../../generated/schemas/{name}.schema.json).\n"
HEAD = ("field", "what it says", "type", "default", "example")


def page(title: str, name: str, model: type[Section]) -> str:
    """All fields, by section."""
    needed = [f"`{key}`" for key, info in keys_of(model).items() if info.is_required()]
    opening = PLATFORM if model is Platform else SPEC.format(required=f"{', '.join(needed[:-1])} and {needed[-1]}")
    parts = [f"# {title}\n", opening, EDITOR.format(name=name)]
    parts += ["## How values are written\n", table(("type", "how"), WRITTEN.items()), NAMES]
    sections: dict[str, list[FieldAt]] = {}
    every = fields_of(model)
    for field in every:
        sections.setdefault(_section(field.path, every), []).append(field)
    for path, fields in sections.items():
        heads = (path, path.removesuffix(".*"))
        parts.append(f"## `{_shown(path)}`\n" if path else "## At the top\n")
        parts += [f"{_sentence(one)}\n" for one in every if one.path in heads]
        parts.append(table(HEAD, [_row(one) for one in fields if one.path not in heads]))
    return "\n".join(parts)


def _section(path: str, every: tuple[FieldAt, ...]) -> str:
    """The heading under which a field stands: a section at the top, or one inside what is chosen by name at the top."""
    top, *rest = path.split(".")
    if not any(one.path.startswith((f"{top}.", f"{top}[].")) for one in every):
        return ""
    chosen = f"{top}.*"
    if not any(one.path.startswith(f"{chosen}.") for one in every):
        return top.removesuffix("[]")
    inside = f"{chosen}.{rest[1]}" if rest else ""
    return inside if inside and any(one.path.startswith(f"{inside}.") for one in every) else chosen


def _sentence(field: FieldAt) -> str:
    return f"{field.info.description}{' Required.' if field.required else ''}"


def _row(field: FieldAt) -> tuple[str, ...]:
    info = field.info
    example = f"`{flow(values.example(info))}`"
    kind = in_words(info.annotation, info.metadata)
    return (f"`{_shown(field.path)}`", info.description or "", kind, values.default_in_words(info), example)


def _shown(path: str) -> str:
    return path.replace("*", "<name>")
