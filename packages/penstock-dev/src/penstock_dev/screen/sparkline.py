"""A curve in one line of text."""

from __future__ import annotations

from collections.abc import Sequence

STEPS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int | None], columns: int) -> str:
    """The last values, the newest at the right. Zero is the lowest step, an unknown value a gap."""
    last = values[-columns:] if columns > 0 else ()
    top = max((value for value in last if value is not None), default=0)
    return "".join(" " if value is None else _step(value, top) for value in last).rjust(max(columns, 0))


def _step(value: int, top: int) -> str:
    if value <= 0 or top <= 0:
        return STEPS[0]
    # Even one message beside ten thousand is visible: only zero is the lowest step.
    return STEPS[max(1, min(round(value / top * (len(STEPS) - 1)), len(STEPS) - 1))]
