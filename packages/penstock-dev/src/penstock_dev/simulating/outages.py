"""What is away for a time, as a command says it: `10m+5m` begins after ten minutes and lasts for five."""

from __future__ import annotations

from typing import Literal

from penstock.operating.spans import span
from penstock_dev.simulating.case import whole_seconds
from penstock_scaling.simulator import Outage
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import printable


def read_outage(of: Literal["workers", "redis"], text: str, lasts: int) -> Outage:
    """Of workers or of Redis, while there is traffic: for so many seconds. Raises CannotGoOn."""
    begins, _, stays = text.partition("+")
    try:
        outage = Outage(of, whole_seconds(Duration.read(begins)), whole_seconds(Duration.read(stays)))
    except ValueError:
        says = f"`--{of}-away {printable(text)}` does not tell when, and for how long"
        raise CannotGoOn(says, "write `10m+5m`: after ten minutes, for five") from None
    if not outage.lasts or outage.end > lasts:
        says = f"`--{of}-away {printable(text)}` is not over while messages come, which is {span(lasts * 1000)}"
        raise CannotGoOn(says, "let it last for some of that time, such as `1m+1m`")
    return outage
