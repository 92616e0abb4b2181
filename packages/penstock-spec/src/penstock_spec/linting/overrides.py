"""Check overrides and defaults by path: whether their environments and paths exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from penstock_spec.fields import has_path, nearest
from penstock_spec.kinds import Kind, kinds
from penstock_spec.layers import FIXED, sections
from penstock_spec.linting.suggestions import kind_of, nearest_path, unknown_path
from penstock_spec.platform import Platform
from penstock_spec.reading import Document, Path, Problem, dotted, first
from penstock_spec.values.strings import printable
from penstock_spec.values.yaml_text import flow

MAX_VALUE_LENGTH = 60
"""The maximum length of a value in a hint."""

MAX_PATHS = 4
"""The maximum number of paths in a hint."""


def checked(document: Document, kind: Kind, platform: Platform | None) -> tuple[bool, list[Problem]]:
    """Check the names and paths of a spec's overrides. The first value is whether they can be applied."""
    environments = document.data.get("environments")
    if environments is None and "environments" not in document.data:
        return True, []
    if not isinstance(environments, dict):
        at, hint = document.nearest(("environments",)), "write it like `{dev: {work.timeout: 30s}}`"
        says = f"expected keys with values, not {kind_of(environments)}"
        return False, [Problem("wrong-type", at, says, hint, "environments")]
    usable = all(isinstance(overrides, dict) for overrides in environments.values())
    return usable, first(_misplaced(document, kind, platform))


def _misplaced(document: Document, kind: Kind, platform: Platform | None) -> Iterator[Problem]:
    for name, overrides in document.data["environments"].items():
        base: Path = ("environments", name)
        if platform and name not in platform.environments:
            known = list(platform.environments)
            close = nearest(name, known) or next((one for one in known if one.startswith(name)), None)
            names = " or ".join(f"`{one}`" for one in known)
            says = f"the platform file has no environment `{printable(name)}`"
            hint = f"write `{close}`" if close else f"write {names}, or add it to the platform file"
            yield Problem("unknown-environment", document.places[base].name, says, hint, dotted(base))
        if isinstance(overrides, dict):
            yield from unknown(document, base, kind)
        else:
            hint = "write paths and values, such as `{work.timeout: 30s}`"
            says = f"expected paths with values, not {kind_of(overrides)}"
            yield Problem("wrong-type", document.nearest(base), says, hint, dotted(base))


def unknown(document: Document, base: Path, kind: Kind | None) -> Iterator[Problem]:
    """Problems with the keys of overrides that are not valid paths."""
    section: Any = document.data
    for step in base:
        section = section.get(step) if isinstance(section, dict) else None
    for key in section if isinstance(section, dict) else ():
        problem = _of_fixed_field(key, kind) or _of_unknown_path(section, key, kind)
        problem = problem or _of_whole_section(section, key, kind) or _set_twice(section, key, kind)
        if problem:
            yield Problem("unknown-override", document.places[(*base, key)].name, *problem, dotted((*base, key)))


def _of_fixed_field(key: str, kind: Kind | None) -> tuple[str, str] | None:
    first, _, rest = key.partition(".")
    if first not in FIXED:
        return None
    says = f"`{printable(key)}` is the same in every environment"
    inner = rest.partition(".")[2]
    if kind and first == "environments" and has_path(kind.model, inner):
        return says, f"write `{inner}`"
    return says, "write it once, at the top level of the spec" if kind else "write it in each spec"


def _of_unknown_path(section: Mapping[str, Any], key: str, kind: Kind | None) -> tuple[str, str] | None:
    problems = [unknown_path(one, key, section) for one in _candidates(kind)]
    return problems[0] if all(problems) else None


def _of_whole_section(section: Mapping[str, Any], key: str, kind: Kind | None) -> tuple[str, str] | None:
    """Refuse to override a whole section: it would silently drop fields that are set elsewhere."""
    value = section[key]
    if not any(key in sections(one.model) for one in _candidates(kind)):
        return None
    says = f"this would replace all of `{key}`, including fields that are set elsewhere"
    every = [leaf for one in _candidates(kind) for leaf in _leaves(one, key, value) if leaf[0] not in section]
    exact = {path for path, _ in every if path.startswith(f"{key}.")}  # another kind may have the field elsewhere
    leaves = dict(islice((leaf for leaf in every if not exact or leaf[0] in exact), MAX_PATHS + 1))
    if not leaves:
        return says, "remove it; each field has a path of its own, such as `work.timeout`"
    lines = [
        f"`{path}: {text if len(text := flow(one)) <= MAX_VALUE_LENGTH else '...'}`" for path, one in leaves.items()
    ]
    more = ", ..." if len(leaves) > MAX_PATHS else ""
    return says, "write " + ", ".join(lines[:MAX_PATHS]) + more


def _leaves(kind: Kind, path: str, value: object) -> Iterator[tuple[str, Any]]:
    """The fields in a section, each with its path."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        here = f"{path}.{key}"
        if isinstance(inner, dict) and here in sections(kind.model):
            yield from _leaves(kind, here, inner)
        elif known_path := here if has_path(kind.model, here) else nearest_path(kind.model, here, FIXED):
            yield known_path, inner


def _set_twice(section: Mapping[str, Any], key: str, kind: Kind | None) -> tuple[str, str] | None:
    steps = key.split(".")
    around = next((one for end in range(1, len(steps)) if (one := ".".join(steps[:end])) in section), None)
    if around is None or any(around in sections(one.model) for one in _candidates(kind)):
        return None
    says = f"`{printable(key)}` is a part of `{around}`, which is set too"
    return says, f"put it into `{around}`, or remove one of the two"


def _candidates(kind: Kind | None) -> list[Kind]:
    return [kind] if kind else list(kinds().values())
