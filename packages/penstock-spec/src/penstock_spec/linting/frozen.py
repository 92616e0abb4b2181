"""What a spec came to, as JSON and back, for the cache."""

from __future__ import annotations

from datetime import date
from typing import Any

from penstock_spec.findings import Span
from penstock_spec.linting.checked import Checked
from penstock_spec.linting.waivers import Promise, Waiver
from penstock_spec.reading import Found
from penstock_spec.subject import Shown


def freeze(checked: Checked) -> dict[str, Any]:
    """To JSON. Named tuples become lists by themselves."""
    return {
        "found": checked.found,
        "shown": [[one.kind, one.file, one.environment, one.values, one.places] for one in checked.shown],
        "waivers": [[one.rule, one.path, one.until.isoformat(), one.at] for one in checked.waivers],
        "promises": [[one.change, one.name, one.until.isoformat(), one.at] for one in checked.promises],
        "beside": checked.beside,
    }


def thaw(frozen: dict[str, Any]) -> Checked:
    """And back."""
    return Checked(
        [(where, _found(one)) for where, one in frozen["found"]],
        [Shown(*one) for one in frozen["shown"]],
        [Waiver(rule, path, date.fromisoformat(until), Span(*at)) for rule, path, until, at in frozen["waivers"]],
        [Promise(change, name, date.fromisoformat(until), Span(*at)) for change, name, until, at in frozen["promises"]],
        frozen["beside"],
    )


def _found(one: list[Any]) -> Found:
    rule, at, says, hint, path = one
    return Found(rule, Span(*at), says, hint, path)
