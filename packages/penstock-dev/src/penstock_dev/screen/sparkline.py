"""A curve as high as a line of text."""

from __future__ import annotations

from collections.abc import Sequence

STEPS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int | None], columns: int) -> str:
    """The last values, the newest at the right end. Nothing at all is the lowest step, what nobody knows is a gap."""
    last = values[-columns:] if columns > 0 else ()
    top = max((value for value in last if value is not None), default=0)
    return "".join(" " if value is None else _step(value, top) for value in last).rjust(max(columns, 0))


def _step(value: int, top: int) -> str:
    if value <= 0 or top <= 0:
        return STEPS[0]
    # A single message is seen beside ten thousand: only none at all stands on the lowest step.
    return STEPS[max(1, min(round(value / top * (len(STEPS) - 1)), len(STEPS) - 1))]
