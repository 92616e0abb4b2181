"""The first lines: where Redis is and how it is, how fast the clock goes, and what is wrong with everything."""

from __future__ import annotations

from rich.text import Text

from penstock_dev.screen.formatting import cut, safe, seconds
from penstock_dev.snapshot import Snapshot


def heading(snapshot: Snapshot, columns: int) -> Text:
    """One line; what matters most stands first."""
    redis = snapshot.redis
    if redis.up is None:
        state, style = "asking Redis", "yellow"
    elif redis.up:
        state, style = f"Redis up {seconds(redis.since)}", "green"
    else:
        state, style = f"Redis DOWN for {seconds(redis.since)}", "bold red"
    speed = "" if snapshot.speed == 1 else f"{snapshot.speed:g}x"
    parts = [
        ("penstock dev", "bold"),
        (state, style),
        (speed, ""),
        (redis.address, "dim"),
    ]
    line = Text(no_wrap=True)
    for text, style in parts:
        layout = columns - line.cell_len
        shown = cut(f"   {text}" if line else text, layout)
        if text and shown.strip("… "):
            line.append(shown, style)
    return line


def problem_lines(snapshot: Snapshot, columns: int, most: int) -> Text:
    """As many as fit, a line each; of the rest it is said that they are there."""
    told = list(snapshot.problems) + [f"{one.name}: {says}" for one in snapshot.specs for says in one.problems]
    shown = told if len(told) <= most else told[: max(most - 1, 0)]
    lines = [cut(f"! {safe(one)}", columns) for one in shown]
    if len(shown) < len(told) and most > 0:
        lines.append(cut(f"! and {len(told) - len(shown)} more; `--plain` tells them all", columns))
    return Text("\n".join(lines), "bold red", no_wrap=True)
