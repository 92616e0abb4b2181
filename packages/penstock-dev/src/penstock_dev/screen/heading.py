"""The first lines of the screen: the state of Redis, the clock's speed, and the problems."""

from __future__ import annotations

from rich.text import Text

from penstock_dev.screen.formatting import cut, safe, seconds
from penstock_dev.snapshot import Snapshot


def heading(snapshot: Snapshot, columns: int) -> Text:
    """One line, with the most important first."""
    redis = snapshot.redis
    if redis.up is None:
        state, style = "connecting to Redis", "yellow"
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
        available = columns - line.cell_len
        shown = cut(f"   {text}" if line else text, available)
        if text and shown.strip("… "):
            line.append(shown, style)
    return line


def problem_lines(snapshot: Snapshot, columns: int, most: int) -> Text:
    """A line per problem; the last line counts those that do not fit."""
    problems = list(snapshot.problems) + [f"{one.name}: {text}" for one in snapshot.specs for text in one.problems]
    shown = problems if len(problems) <= most else problems[: max(most - 1, 0)]
    lines = [cut(f"! {safe(one)}", columns) for one in shown]
    if len(shown) < len(problems) and most > 0:
        lines.append(cut(f"! and {len(problems) - len(shown)} more; `--plain` lists all", columns))
    return Text("\n".join(lines), "bold red", no_wrap=True)
