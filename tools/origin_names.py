"""List the items that the documents behind the design name: settings, variables, metrics, alerts.

    python tools/origin_names.py FOLDER > tests/origins/names.txt

An item is recognized by its form: a row of a table, a key of a YAML or JSON block, a word in capitals with underscores,
a metric, or a point of some lists.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LISTS = {
    "agent-queue-keda": (
        "KEDA Metrics", "Redis Metrics", "Worker Metrics", "Cleanup Metrics", "Event API Metrics", "Key Log Events",
        "Safety Checks", "5. Monitoring",
    ),
    "agent-host-engine": (
        "Grafana Dashboards", "Critical Alerts", "Warning Alerts", "NFR1: Performance", "NFR2: Scalability",
        "Agent Capacity per Pod",
    ),
    "ingestion-plan": ("Observability",),
}  # fmt: skip
"""The headings, by document, whose points are settings, metrics or alerts; other points are prose."""

FENCE = re.compile(r"\s*```(\w*)")
HEADING = re.compile(r"#+ +(?P<plain>.*)|(?:\d\. )?\*\*(?P<bold>[^*]+?):?\*\*:?\s*")
KEYS = {
    "yaml": re.compile(r"(?P<indent>\s*(?:- )*)(?P<key>[\w.-]+):(?:\s+(?P<value>.*))?"),
    "json": re.compile(r'(?P<indent>\s*)"(?P<key>[\w.-]+)":\s*(?P<value>.*)'),
}
CAPITALS = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
METRIC = re.compile(r"\b(?:rustic_(?:agents?|process|registry)_\w+|grpc_server_\w+|cats\.priorityScheduler\.[\w.]+\w)")
VERB = re.compile(r"^(?:Alert on|Monitor|Track|Support) ")
SEPARATOR = re.compile(r"\|[\s:|-]+\|")


def names(text: str, document: str) -> set[str]:
    """All items that a document names."""
    prose, blocks = split(text)
    items = {name for kind, block in blocks for name in keys(kind, block)}
    heading, rows = "", 0
    for line in prose:
        title = HEADING.fullmatch(line)
        heading = (title["plain"] or title["bold"]) if title else heading
        rows = rows + 1 if line.startswith("|") else 0
        if rows > 1 and not SEPARATOR.fullmatch(line):  # the first row is the table's head
            items.add(without_markup(line.split("|")[1]))
        elif line.lstrip()[:2] == "- " and heading in LISTS.get(document, ()):
            items.add(VERB.sub("", re.split(r":| - | \(", without_markup(line.lstrip()[2:]))[0]))
    return items | set(CAPITALS.findall(text)) | set(METRIC.findall(text))


def split(text: str) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """The lines of prose, and the blocks of code with their languages. A fence with a language always opens a block."""
    prose: list[str] = []
    blocks: list[tuple[str, list[str]]] = []
    into = prose
    for line in text.splitlines():
        fence = FENCE.match(line)
        if not fence:
            into.append(line)
        elif fence[1] or into is prose:
            blocks.append((fence[1], into := []))
        else:
            into = prose
    return prose, blocks


def keys(kind: str, block: list[str]) -> Iterator[str]:
    """The paths of the innermost keys of a YAML or JSON block; those of a manifest begin with its kind."""
    path: list[tuple[int, str]] = []
    document = ""
    for line in block if kind in KEYS else ():
        if line.startswith("---"):
            path, document = [], ""
        match = KEYS[kind].fullmatch(line)
        if not match:
            continue
        depth, value = len(match["indent"]), match["value"] or ""
        path = [(at, key) for at, key in path if at < depth] + [(depth, match["key"])]
        if not value or value.startswith(("#", "{")):
            continue
        if (depth, match["key"]) == (0, "kind"):
            document = value
        elif depth or match["key"] != "apiVersion":
            yield ".".join([*([document] if document else []), *(key for _, key in path)])


def without_markup(cell: str) -> str:
    return re.sub(r"[`*]", "", cell).strip()


def listing(folder: Path) -> list[str]:
    """One line for each item of each document: the document and the item. A document's file begins with a number."""
    documents = {path.stem.partition("-")[2]: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    return [f"{document} {name}" for document, text in documents.items() for name in sorted(names(text, document))]


if __name__ == "__main__":
    print("\n".join(listing(Path(sys.argv[1]))))
