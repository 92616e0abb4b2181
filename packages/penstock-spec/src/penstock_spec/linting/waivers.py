"""What people take on until a day: findings they suppress, dangerous changes they acknowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from penstock_spec.care import Acknowledgement, Removal, Suppression
from penstock_spec.catalogue import catalogue
from penstock_spec.fields import nearest
from penstock_spec.findings import Span
from penstock_spec.linting.meant import leads, nearest_path
from penstock_spec.model import Part
from penstock_spec.reading import Document, Found, first
from penstock_spec.values.words import shown

PartT = TypeVar("PartT", bound=Part)


@dataclass(frozen=True, slots=True)
class Waiver:
    """A suppression that a file asks for."""

    rule: str
    path: str
    until: date
    at: Span


@dataclass(frozen=True, slots=True)
class Promise:
    """A dangerous change that is taken on until a day."""

    change: str
    name: str
    """Of what is removed; nothing where the change is of the spec itself."""
    until: date
    at: Span


def items(document: Document, key: str, model: type[PartT]) -> list[PartT]:
    """The items of a list of a file; none where its shape has told that they are wrong."""
    asked = document.data.get(key)
    try:
        return [model.model_validate(one) for one in asked] if isinstance(asked, list) else []
    except ValidationError:
        return []


def asked(
    suppressions: Iterable[Suppression], document: Document, model: type[Part]
) -> tuple[list[Waiver], list[Found]]:
    """The suppressions of a file, and findings for those that name nothing that can be suppressed."""
    waivers = []
    void: list[Callable[[], Found]] = []  # the nearest word is looked for only where it is told
    for index, one in enumerate(suppressions):
        at = document.nearest(("suppress", index, "rule"))
        rule = catalogue().get(one.rule)
        if rule is None or rule.scope in ("reported", "change"):
            void.append(partial(_cannot_suppress, one.rule, at, f"suppress[{index}].rule"))
        elif one.at and not leads(model, one.at):
            at = document.nearest(("suppress", index, "at"))
            void.append(partial(_nowhere, model, one.at, at, f"suppress[{index}].at"))
        else:
            waivers.append(Waiver(one.rule, one.at or "", one.until, at))
    return waivers, first(one() for one in void)


def promises(document: Document) -> list[Promise]:
    """The acknowledgements of a spec."""
    return [
        Promise(one.change, "", one.until, document.nearest(("acknowledge", index, "until")))
        for index, one in enumerate(items(document, "acknowledge", Acknowledgement))
    ]


def removals(platform: Document) -> list[Promise]:
    """The acknowledgements of the platform file."""
    return [
        Promise(one.change, one.name, one.until, platform.nearest(("acknowledge", index, "until")))
        for index, one in enumerate(items(platform, "acknowledge", Removal))
    ]


def _cannot_suppress(name: str, at: Span, path: str) -> Found:
    if name in catalogue() and catalogue()[name].scope == "change":
        says = f"`{name}` cannot be suppressed: it is about one change, and not about the file"
        return Found("suppression-unknown-rule", at, says, "take it on under `acknowledge`", path)
    if name in catalogue():
        says = f"`{name}` cannot be suppressed: without it the file does not say what it means"
        return Found("suppression-unknown-rule", at, says, "put right what it found", path)
    close = nearest(name, list(catalogue()))
    hint = f"write `{close}`" if close else "see `penstock rules` for their names"
    return Found("suppression-unknown-rule", at, f"there is no rule `{shown(name)}`", hint, path)


def _nowhere(model: type[Part], path: str, at: Span, where: str) -> Found:
    hint = nearest_path(model, path)
    hint = f"write `{hint}`" if hint else "write the path of a field, such as `work.timeout`, or leave `at` out"
    return Found("suppression-unknown-rule", at, f"`{shown(path)}` is not the path of a field", hint, where)


def waives(waiver: Waiver, found: Found, today: date) -> bool:
    """This finding, and on this day."""
    inside = not waiver.path or found.path == waiver.path or found.path.startswith(f"{waiver.path}.")
    return waiver.rule == found.rule and inside and today <= waiver.until


def void(asked: list[Waiver], used: set[Waiver], today: date, *, whole: bool) -> Iterator[Found]:
    """Suppressions that have run out, and those that hide nothing: only a whole run can know."""
    for waiver in asked:
        if waiver.until < today:
            says = f"it counted until {waiver.until}"
            hint = "put right what it hides, or look again and move `until`"
            yield Found("suppression-expired", waiver.at, says, hint)
        elif waiver not in used and whole:
            says = f"`{waiver.rule}` finds nothing here"
            yield Found("suppression-unused", waiver.at, says, "take it out")


def over(promises: list[Promise], today: date) -> Iterator[Found]:
    """Acknowledgements that have run out."""
    for promise in promises:
        if promise.until < today:
            says = f"`{promise.change}` was taken on until {promise.until}"
            yield Found("acknowledgement-expired", promise.at, says, "take it out; a new change needs a new one")
