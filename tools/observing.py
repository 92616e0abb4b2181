"""Makes docs/reference/observing.md from docs/reference/observing.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

DATA = Path("docs/reference/observing.yaml")
PAGE = "docs/reference/observing.md"

TITLES = {"000": "Agent queue with KEDA", "001": "Priority scheduler", "003": "Queue depth", "004": "Media ingestion"}
INTRODUCTION = """\
<!-- Made by `make generate` from observing.yaml beside it. -->

# What is watched, and where

[Five documents](seeds.md) stood at the beginning of the design; three of them are about streams, and 001 is about
recurring jobs. This page has each thing that they measure, alert on or tell how to find, with the alerts and the panels
of a pipeline's dashboard, or a scheduler's, that are about it. Some are there only where the spec asks for what they
are about, such as a retention or a fallback.
"""


class Row(BaseModel):
    """One thing that a document wants watched."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    there: str
    alerts: tuple[str, ...] = ()
    panels: tuple[str, ...]


class Ours(BaseModel):
    """What no document names, and why it is there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    alerts: dict[str, str]
    panels: dict[str, str]


class Table(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seeds: dict[str, tuple[Row, ...]]
    ours: Ours


def read(root: Path) -> Table:
    """From its file."""
    return Table.model_validate(yaml.safe_load((root / DATA).read_text(encoding="utf-8")))


def pages(root: Path = Path(__file__).parents[1]) -> dict[str, str]:
    """The page by its path."""
    return {PAGE: "\n".join([INTRODUCTION, *_lines(read(root))])}


def _lines(table: Table) -> Iterator[str]:
    for seed, rows in table.seeds.items():
        yield f"## {seed}: {TITLES[seed]}\n\n| there | alerts | panels |\n|---|---|---|"
        for row in rows:
            alerts = ", ".join(f"`{name}`" for name in row.alerts) or "-"
            yield f"| {row.there} | {alerts} | {', '.join(row.panels)} |"
        yield ""
    yield "## What we added\n\n| alert or panel | why |\n|---|---|"
    for name, why in table.ours.alerts.items():
        yield f"| `{name}` | {why} |"
    for name, why in table.ours.panels.items():
        yield f"| {name} | {why} |"
    yield ""
