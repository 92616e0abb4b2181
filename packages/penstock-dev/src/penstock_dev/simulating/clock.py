"""The time of a simulation, which starts at 0."""

from __future__ import annotations


def clock(seconds: float) -> str:
    """`0:12:05`: hours, minutes, seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
