"""The reference page of a model: every field with its type, default, description and example."""

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
    "CPU quantity": "millicores, or whole CPUs and fractions: `250m`, `0.5`, `2`",
    "version": "two or three numbers, quoted or not: `1.36`",
    "name": (
        "lower-case letters, digits and hyphens, no hyphen first or last; at most 54 characters if Kubernetes adds "
        "to it, else 63"
    ),
    "key": "1 to 512 characters without spaces; no braces, or one hash tag such as `{media}`; a group has no braces",
    "date": "`2027-01-31`",
    "section": "fields, below it or between `{` and `}`",
    "paths and values": "the path of a field as the key: `stream.backlog.limit: 10000`",
}
NAMES = """\
In a path, `<name>` is a name that you choose and `[]` an item of a list. *derived* shows how a default is computed from
other fields. A *required* field of an optional section is required only if the section is there.
"""
PLATFORM = """\
`penstock.yaml` at the root of a repository has the settings for all specs of an environment. The platform team writes
it.
"""
SPEC = """\
Each spec is a file under `specs/`. Only {required} have no default.

A value comes from the first of these that sets its path: `environments.<name>` of the spec, the spec,
`environments.<name>.defaults` of the platform file, its `defaults`, a derived value, the default below.
"""
EDITOR = "Editors complete and explain all fields with [the schema](../../generated/schemas/{name}.schema.json).\n"
HEAD = ("field", "description", "type", "default", "example")


def page(title: str, name: str, model: type[Section]) -> str:
    """The page: all fields, by section."""
    needed = [f"`{key}`" for key, info in keys_of(model).items() if info.is_required()]
    opening = PLATFORM if model is Platform else SPEC.format(required=f"{', '.join(needed[:-1])} and {needed[-1]}")
    parts = [f"# {title}\n", opening, EDITOR.format(name=name)]
    parts += ["## Types\n", table(("type", "format"), WRITTEN.items()), NAMES]
    sections: dict[str, list[FieldAt]] = {}
    every = fields_of(model)
    for field in every:
        sections.setdefault(_section(field.path, every), []).append(field)
    for path, fields in sections.items():
        heads = (path, path.removesuffix(".*"))
        parts.append(f"## `{_shown(path)}`\n" if path else "## Top level\n")
        parts += [f"{_sentence(one)}\n" for one in every if one.path in heads]
        parts.append(table(HEAD, [_row(one) for one in fields if one.path not in heads]))
    return "\n".join(parts)


def _section(path: str, every: tuple[FieldAt, ...]) -> str:
    """The heading of a field: a top-level section, or a section inside a top-level mapping with chosen names."""
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
