"""Draws docs/pictures/one-file.svg: a spec and lines of files that follow from it, a value in one colour everywhere.

Every line of the picture must occur in a file of this repository, or `make generate` and `make check` fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import chain
from pathlib import Path

FILE = "docs/pictures/one-file.svg"
SPEC = "specs/media-cluster.yaml"
MADE = "generated/production/media-cluster"

WIDTH, HEIGHT = 1000, 470
BOX, TALL, GAP = 290, 100, 14
LINE, INDENT = 18, 14

MAX, TIME, KEY = "max", "time", "key"
"""A value of the spec, by the class that colours it."""

STYLE = """
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
.title { font: 600 13px system-ui, -apple-system, "Segoe UI", sans-serif }
.file { font-size: 11px; fill: #6e7781 }
rect { fill: #fff; stroke: #d0d7de; rx: 6px }
.spec { stroke: #57606a; stroke-width: 1.5 }
path { fill: none; stroke: #d0d7de; stroke-width: 1.5 }
.max { fill: #0969da; font-weight: 600 }
.time { fill: #bc4c00; font-weight: 600 }
.key { fill: #1a7f37; font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .file { fill: #8d96a0 }
  rect { fill: #161b22; stroke: #3d444d }
  .spec { stroke: #8d96a0 }
  path { stroke: #3d444d }
  .max { fill: #58a6ff }
  .time { fill: #f0883e }
  .key { fill: #3fb950 }
}
"""

Piece = tuple[str, str]
"""A text and its class; the class is empty for text that is not a value."""


@dataclass(frozen=True)
class Box:
    """A file, and some of its lines."""

    title: str
    file: str
    lines: tuple[tuple[Piece, ...], ...]


IN_THE_SPEC = (
    (("kind: pipeline", ""),),
    (("name: media-cluster", ""),),
    (("handler: media.clustering:cluster", ""),),
    (("stream:", ""),),
    (("  key: ", ""), ("streams:media.cluster", KEY)),
    (("work:", ""),),
    (("  concurrency: 16", ""),),
    (("  timeout: ", ""), ("60s", TIME)),
    (("retries:", ""),),
    (("  attempts: 5", ""),),
    (("scaling:", ""),),
    (("  replicas: {min: 0, max: ", ""), ("20", MAX), ("}", "")),
    (("shutdown: {grace: ", ""), ("90s", TIME), ("}", "")),
)
LEFT = (
    Box("The worker", "worker.json", ((('"timeout": ', ""), ('"60s"', TIME)), (('"grace": ', ""), ('"90s"', TIME)))),
    Box("Its pods", "manifests/deployment.yaml", ((("terminationGracePeriodSeconds: ", ""), ("90", TIME)),)),
    Box("Senders", "producer.py", ((('STREAM = "', ""), ("streams:media.cluster", KEY), ('"', "")),)),
    Box("Users in Redis", "acl.txt", ((("-@all ~", ""), ("streams:media.cluster", KEY)),)),
)
RIGHT = (
    Box(
        "The scaler",
        "manifests/scaledobject.yaml",
        ((("maxReplicaCount: ", ""), ("20", MAX)), (('stream: "', ""), ("streams:media.cluster", KEY), ('"', ""))),
    ),
    Box("Alerts, each with a test", "rules.yaml", ((("`scaling.replicas.max` is ", ""), ("20", MAX)),)),
    Box("The dashboard", "dashboard.json", ((('"thresholds": {', ""),), (('"value": ', ""), ("20", MAX)))),
    Box(
        "What to do at night",
        "runbook.md",
        ((("| pods | 0 to ", ""), ("20", MAX)), (("- Stream: `", ""), ("streams:media.cluster", KEY), ("`", ""))),
    ),
)


def pages(root: Path) -> dict[str, str]:
    """The picture by its path. Raises ValueError for a line that is in no file."""
    check_lines(root / SPEC, IN_THE_SPEC)
    for box in (*LEFT, *RIGHT):
        check_lines(root / MADE / box.file, box.lines)
    return {FILE: drawn()}


def check_lines(file: Path, lines: tuple[tuple[Piece, ...], ...]) -> None:
    text = file.read_text()
    for line in lines:
        if (drawn_line := "".join(piece for piece, _ in line)) not in text:
            raise ValueError(f"{file.name} has no `{drawn_line}`, which tools/picture.py draws")


def drawn() -> str:
    middle = (WIDTH - BOX) // 2
    top = (HEIGHT - spec_height()) // 2
    parts = [
        *(curve(middle, BOX, row) for row in range(len(LEFT))),
        *(curve(middle + BOX, WIDTH - BOX, row) for row in range(len(RIGHT))),
        *box(middle, top, spec_height(), Box("One file a pipeline", SPEC, IN_THE_SPEC), "spec"),
        *chain.from_iterable(box(1, at(row), TALL, one) for row, one in enumerate(LEFT)),
        *chain.from_iterable(box(WIDTH - BOX - 1, at(row), TALL, one) for row, one in enumerate(RIGHT)),
    ]
    label = "A spec of a pipeline, and around it lines of eight files that follow from it: the same values everywhere"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">',
        "<!-- Drawn by tools/picture.py. Change that, not this. -->",
        f"<style>{STYLE}</style>",
        *parts,
        "</svg>\n",
    ])  # fmt: skip


def spec_height() -> int:
    return 62 + LINE * len(IN_THE_SPEC)


def at(row: int) -> int:
    """The position of a row."""
    return (HEIGHT - 4 * TALL - 3 * GAP) // 2 + row * (TALL + GAP)


def curve(begin: int, end: int, row: int) -> str:
    y, half = at(row) + TALL // 2, (begin + end) // 2
    return f'<path d="M{begin} {HEIGHT // 2} C{half} {HEIGHT // 2} {half} {y} {end} {y}"/>'


def box(x: int, y: int, tall: int, one: Box, kind: str = "made") -> list[str]:
    """A box with its title, its file and its lines."""
    words = [
        f'<rect class="{kind}" x="{x}" y="{y}" width="{BOX}" height="{tall}"/>',
        f'<text class="title" x="{x + INDENT}" y="{y + 24}">{escape(one.title)}</text>',
        f'<text class="file" x="{x + INDENT}" y="{y + 41}">{escape(one.file)}</text>',
    ]
    for number, line in enumerate(one.lines):
        spans = "".join(
            f'<tspan class="{kind}">{escape(text)}</tspan>' if kind else escape(text) for text, kind in line
        )
        words.append(f'<text xml:space="preserve" x="{x + INDENT}" y="{y + 65 + LINE * number}">{spans}</text>')
    return words
