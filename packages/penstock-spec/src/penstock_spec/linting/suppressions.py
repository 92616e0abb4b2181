"""Suppressions of findings, with their places in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial

from penstock_spec.catalogue import catalogue
from penstock_spec.fields import nearest
from penstock_spec.findings import Span
from penstock_spec.linting.suggestions import can_have_findings, nearest_path
from penstock_spec.model import Section
from penstock_spec.reading import Document, Problem, first
from penstock_spec.sections import Suppression
from penstock_spec.values.strings import printable


@dataclass(frozen=True, slots=True)
class SuppressionAt:
    """A suppression in a file, and its place."""

    rule: str
    path: str
    until: date
    at: Span


def placed(
    suppressions: Iterable[Suppression], document: Document, model: type[Section]
) -> tuple[list[SuppressionAt], list[Problem]]:
    """The suppressions of a file, and findings for those that name no suppressible rule or no field."""
    valid = []
    invalid: list[Callable[[], Problem]] = []  # called only for those that are reported: suggestions are slow
    for index, one in enumerate(suppressions):
        at = document.nearest(("suppress", index, "rule"))
        rule = catalogue().get(one.rule)
        if rule is None or rule.scope in ("reported", "change"):
            invalid.append(partial(_cannot_suppress, one.rule, at, f"suppress[{index}].rule"))
        elif one.at and not can_have_findings(model, one.at):
            at = document.nearest(("suppress", index, "at"))
            invalid.append(partial(_not_a_path, model, one.at, at, f"suppress[{index}].at"))
        else:
            valid.append(SuppressionAt(one.rule, one.at or "", one.until, at))
    return valid, first(one() for one in invalid)


def _cannot_suppress(name: str, at: Span, path: str) -> Problem:
    if name in catalogue() and catalogue()[name].scope == "change":
        says = f"`{name}` cannot be suppressed: it is about a change, not about the file"
        return Problem("suppression-unknown-rule", at, says, "acknowledge the change under `acknowledge`", path)
    if name in catalogue():
        says = f"`{name}` cannot be suppressed: the file is not valid with this problem"
        return Problem("suppression-unknown-rule", at, says, "fix what it found", path)
    close = nearest(name, list(catalogue()))
    hint = f"write `{close}`" if close else "`penstock rules` lists their names"
    return Problem("suppression-unknown-rule", at, f"there is no rule `{printable(name)}`", hint, path)


def _not_a_path(model: type[Section], path: str, at: Span, where: str) -> Problem:
    hint = nearest_path(model, path)
    hint = f"write `{hint}`" if hint else "write the path of a field, such as `work.timeout`, or leave `at` out"
    return Problem("suppression-unknown-rule", at, f"`{printable(path)}` is not the path of a field", hint, where)


def suppresses(suppression: SuppressionAt, problem: Problem, today: date) -> bool:
    """Whether the suppression covers this finding on this day."""
    path = suppression.path
    inside = not path or problem.path == path or problem.path.startswith(f"{path}.")
    return suppression.rule == problem.rule and inside and today <= suppression.until


def ineffective(
    suppressions: list[SuppressionAt], used: set[SuppressionAt], today: date, *, complete: bool
) -> Iterator[Problem]:
    """Findings for expired suppressions and, in a complete run, for those that hide nothing."""
    for one in suppressions:
        if one.until < today:
            says = f"it expired after {one.until}"
            yield Problem(
                "suppression-expired", one.at, says, "fix what it hides, or review it and set a later `until`"
            )
        elif one not in used and complete:
            yield Problem("suppression-unused", one.at, f"`{one.rule}` has no finding here", "remove it")
