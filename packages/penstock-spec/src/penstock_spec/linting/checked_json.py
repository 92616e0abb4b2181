"""Convert a `CheckedFile` to JSON and back, for the cache."""

from __future__ import annotations

from datetime import date
from typing import Any

from penstock_spec.context import SpecFacts
from penstock_spec.findings import Span
from penstock_spec.linting.acknowledgements import AcknowledgementAt
from penstock_spec.linting.checked import CheckedFile
from penstock_spec.linting.suppressions import SuppressionAt
from penstock_spec.reading import Problem


def to_json(checked: CheckedFile) -> dict[str, Any]:
    """The result as JSON; named tuples become lists."""
    return {
        "problems": checked.problems,
        "facts": [[one.kind, one.file, one.environment, one.values, one.places] for one in checked.facts],
        "suppressions": [[one.rule, one.path, one.until.isoformat(), one.at] for one in checked.suppressions],
        "acknowledgements": [[one.change, one.name, one.until.isoformat(), one.at] for one in checked.acknowledgements],
        "beside": checked.beside,
    }


def from_json(data: dict[str, Any]) -> CheckedFile:
    """The result from its JSON."""
    return CheckedFile(
        [(environment, _problem(one)) for environment, one in data["problems"]],
        [SpecFacts(*one) for one in data["facts"]],
        [SuppressionAt(rule, path, _day(until), Span(*at)) for rule, path, until, at in data["suppressions"]],
        [
            AcknowledgementAt(change, name, _day(until), Span(*at))
            for change, name, until, at in data["acknowledgements"]
        ],
        data["beside"],
    )


def _day(text: str) -> date:
    return date.fromisoformat(text)


def _problem(data: list[Any]) -> Problem:
    rule, at, says, hint, path = data
    return Problem(rule, Span(*at), says, hint, path)
