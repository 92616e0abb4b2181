"""Parses outages: `10m+5m` starts after ten minutes and lasts for five."""

from __future__ import annotations

from typing import Literal

from penstock_dev.simulating.case import whole_seconds
from penstock_scaling.simulator import Outage
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import span
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import printable


def read_outage(of: Literal["workers", "redis"], text: str, lasts: int) -> Outage:
    """An outage of workers or Redis within `lasts` seconds of traffic. Raises CannotGoOn."""
    start, _, length = text.partition("+")
    try:
        outage = Outage(of, whole_seconds(Duration.read(start)), whole_seconds(Duration.read(length)))
    except ValueError:
        says = f"`--{of}-away {printable(text)}` is not a start and a duration"
        raise CannotGoOn(says, "write `10m+5m`: after ten minutes, for five") from None
    if not outage.lasts or outage.end > lasts:
        says = f"`--{of}-away {printable(text)}` does not end within the {span(lasts * 1000)} of traffic"
        raise CannotGoOn(says, "choose a time within it, such as `1m+1m`")
    return outage
