"""Values by path, in a spec's environments and the platform's defaults: whether names and paths exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_spec.fields import nearest
from penstock_spec.kinds import Kind, kinds
from penstock_spec.layers import FIXED
from penstock_spec.linting.meant import kind_of, unknown_path
from penstock_spec.platform import Platform
from penstock_spec.reading import Document, Found, Path, dotted, first
from penstock_spec.values.words import shown


def checked(document: Document, kind: Kind, platform: Platform | None) -> tuple[bool, list[Found]]:
    """Check the names of environments and the paths in them. The first is true when the overrides can be applied."""
    environments = document.data.get("environments")
    if environments is None and "environments" not in document.data:
        return True, []
    if not isinstance(environments, dict):
        at, hint = document.nearest(("environments",)), "write `dev: {work.timeout: 30s}`"
        says = f"expected keys with values, not {kind_of(environments)}"
        return False, [Found("wrong-type", at, says, hint, "environments")]
    usable = all(isinstance(overrides, dict) for overrides in environments.values())
    return usable, first(_misplaced(document, kind, platform))


def _misplaced(document: Document, kind: Kind, platform: Platform | None) -> Iterator[Found]:
    for name, overrides in document.data["environments"].items():
        base: Path = ("environments", name)
        if platform and name not in platform.environments:
            known = list(platform.environments)
            close = nearest(name, known) or next((one for one in known if one.startswith(name)), None)
            told = " or ".join(f"`{one}`" for one in known)
            says = f"the platform file has no environment `{shown(name)}`"
            hint = f"write `{close}`" if close else f"write {told}, or add it to the platform file"
            yield Found("unknown-environment", document.places[base].name, says, hint, dotted(base))
        if isinstance(overrides, dict):
            yield from unknown(document, base, kind)
        else:
            hint = "write paths and values, such as `{work.timeout: 30s}`"
            says = f"expected paths with values, not {kind_of(overrides)}"
            yield Found("wrong-type", document.nearest(base), says, hint, dotted(base))


def unknown(document: Document, base: Path, kind: Kind | None) -> Iterator[Found]:
    """Findings for the keys of an override that are not paths of fields."""
    section: Any = document.data
    for step in base:
        section = section.get(step) if isinstance(section, dict) else None
    for key in section if isinstance(section, dict) else ():
        at = document.places[(*base, key)].name
        if key.split(".")[0] in FIXED:
            says = f"`{shown(key)}` is the same in every environment"
            hint = "say it once, at the top of the spec" if kind else "each spec says it for itself"
            yield Found("unknown-override", at, says, hint, dotted((*base, key)))
            continue
        candidates = [kind] if kind else list(kinds().values())
        problems = [unknown_path(one.model, key, at) for one in candidates]
        if all(problems) and problems[0]:
            yield problems[0]._replace(path=dotted((*base, key)))
