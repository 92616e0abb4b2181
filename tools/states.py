"""Draws docs/pictures/states.svg from the diagram in docs/explanation/states.md, for viewers that draw no diagrams.

This script sets the position of each state; the states and the arrows between them come from the page.
"""

from __future__ import annotations

import re
from html import escape
from math import hypot
from pathlib import Path

FILE = "docs/pictures/states.svg"
PAGE = "docs/explanation/states.md"

WIDTH, HEIGHT = 960, 410
WIDE, TALL = 96, 36
DISTANCE = 7
"""Between two arrows of opposite directions."""

Point = tuple[float, float]

PLACES: dict[str, Point] = {
    "delayed": (60, 190), "new": (310, 190), "running": (570, 190), "done": (900, 190), "dead": (900, 60),
    "ready": (310, 370), "parked": (570, 370), "suspect": (900, 370),
}  # fmt: skip
AROUND = {("dead", "new"): (560, -20)}
"""Bent arrows, and the points that they bend towards."""
ALONG = {
    ("ready", "running"): 0.22,
    ("running", "ready"): 0.45,
    ("running", "parked"): 0.75,
    ("suspect", "running"): 0.35,
    ("running", "suspect"): 0.35,
}
"""The position of an arrow's label as a part of its length; by default the middle."""

ARROW = re.compile(r"^ +(\S+) --> (\S+?)(?:: (.+))?$", re.MULTILINE)
DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a; text-anchor: middle;
       paint-order: stroke; stroke: #fff; stroke-width: 5px }
.state { font-size: 14px; font-weight: 600; fill: #24292f; stroke: none }
rect { fill: #f6f8fa; stroke: #57606a; rx: 18px }
path { fill: none; stroke: #8c959f; stroke-width: 1.3; marker-end: url(#head) }
marker path { fill: #8c959f; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; stroke: #0d1117 }
  .state { fill: #e6edf3 }
  rect { fill: #161b22; stroke: #9198a1 }
}
"""


def pages(root: Path) -> dict[str, str]:
    """The picture by its path. Raises ValueError for a state without a place."""
    diagram = DIAGRAM.search((root / PAGE).read_text())
    if not diagram:
        raise ValueError(f"{PAGE} has no diagram")
    arrows = [one for one in ARROW.findall(diagram[1]) if "[*]" not in one]
    named = {state for begin, end, _ in arrows for state in (begin, end)} | {"done"}
    if named != PLACES.keys():
        raise ValueError(f"{PAGE} has other states than tools/states.py: {sorted(named ^ PLACES.keys())}")
    return {FILE: drawn(arrows)}


def drawn(arrows: list[tuple[str, str, str]]) -> str:
    both = {(begin, end) for begin, end, _ in arrows}
    lines, words = [], []
    for begin, end, label in arrows:
        line, word = arrow(begin, end, label, there_and_back=(end, begin) in both)
        lines.append(line)
        words.append(word)
    label = "The states of a message, and the steps between them"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">',
        "<!-- Drawn by tools/states.py. Change that, or the diagram of the page. -->",
        f"<style>{STYLE}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
        '<path d="M0 0 L8 4 L0 8 z"/>',
        "</marker>",
        *lines,
        *(state(name, *place) for name, place in PLACES.items()),
        *words,
        "</svg>\n",
    ])  # fmt: skip


def state(name: str, x: float, y: float) -> str:
    return (
        f'<rect x="{x - WIDE / 2:g}" y="{y - TALL / 2:g}" width="{WIDE}" height="{TALL}"/>'
        f'<text class="state" x="{x:g}" y="{y + 5:g}">{name}</text>'
    )


def arrow(begin: str, end: str, label: str, *, there_and_back: bool) -> tuple[str, str]:
    """The line with its label."""
    start, stop = PLACES[begin], PLACES[end]
    if bend := AROUND.get((begin, end)):
        here, there = border(start, bend), border(stop, bend)
        path = f"M{at(here)} Q{at(bend)} {at(there)}"
        middle = ((here[0] + there[0]) / 4 + bend[0] / 2, (here[1] + there[1]) / 4 + bend[1] / 2)
    else:
        if there_and_back:
            start, stop = shifted(start, stop)
        here, there = border(start, stop), border(stop, start)
        path = f"M{at(here)} L{at(there)}"
        part = ALONG.get((begin, end), 0.5)
        middle = (here[0] + (there[0] - here[0]) * part, here[1] + (there[1] - here[1]) * part)
    return f'<path d="{path}"/>', f'<text x="{middle[0]:.0f}" y="{middle[1] - 6:.0f}">{escape(label)}</text>'


def shifted(start: Point, stop: Point) -> tuple[Point, Point]:
    """Move the line a little to the left, so that there is room for the arrow back."""
    x, y = stop[0] - start[0], stop[1] - start[1]
    aside = (y / hypot(x, y) * DISTANCE, -x / hypot(x, y) * DISTANCE)
    return (start[0] + aside[0], start[1] + aside[1]), (stop[0] + aside[0], stop[1] + aside[1])


def border(inside: Point, towards: Point) -> Point:
    """The point where a line from the middle of a state leaves its box."""
    x, y = towards[0] - inside[0], towards[1] - inside[1]
    part = min(
        (WIDE / 2 + 3) / abs(x) if x else 1,
        (TALL / 2 + 3) / abs(y) if y else 1,
    )
    return inside[0] + x * part, inside[1] + y * part


def at(point: Point) -> str:
    return f"{point[0]:.0f} {point[1]:.0f}"
