"""Acknowledgements of dangerous changes, with their places in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from penstock_spec.findings import Span
from penstock_spec.linting.items import items
from penstock_spec.reading import Document, Problem
from penstock_spec.sections import Acknowledgement, Removal


@dataclass(frozen=True, slots=True)
class AcknowledgementAt:
    """An acknowledgement of a dangerous change, and its place."""

    change: str
    name: str
    """The name of the removed spec or environment; empty for a change of the spec itself."""
    until: date
    at: Span


def of_spec(document: Document) -> list[AcknowledgementAt]:
    """The acknowledgements of a spec."""
    return [
        AcknowledgementAt(one.change, "", one.until, document.nearest(("acknowledge", index, "until")))
        for index, one in enumerate(items(document, "acknowledge", Acknowledgement))
    ]


def of_platform(platform: Document) -> list[AcknowledgementAt]:
    """The acknowledgements of the platform file."""
    return [
        AcknowledgementAt(one.change, one.name, one.until, platform.nearest(("acknowledge", index, "until")))
        for index, one in enumerate(items(platform, "acknowledge", Removal))
    ]


def expired(acknowledgements: list[AcknowledgementAt], today: date) -> Iterator[Problem]:
    """A finding for each acknowledgement whose end date has passed."""
    for one in acknowledgements:
        if one.until < today:
            says = f"`{one.change}` was acknowledged until {one.until}"
            yield Problem(
                "acknowledgement-expired", one.at, says, "remove it; a new change needs a new acknowledgement"
            )
