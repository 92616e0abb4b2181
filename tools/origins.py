"""Make docs/design/origins.md from docs/design/origins.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from penstock_spec.values.quantities import Duration

DATA = Path("docs/design/origins.yaml")
PAGE = "docs/design/origins.md"

INTRODUCTION = """\
<!-- Made by `make generate` from origins.yaml. -->

# Origins of settings, metrics and alerts

The design of Penstock started from five documents about workers and schedulers on Redis. This page lists each setting,
metric, alert, endpoint and key that they name, and its place in Penstock: a field of a spec or of the platform file, a
default, [a metric](../reference/metrics.md), an alert or a panel, a line of
[a generated file](../reference/artifacts.md), a behaviour of the runtime with the test that proves it, a future kind of
spec, or the reason why it is not needed. Kubernetes and KEDA export the metrics that begin with `kube_` and `keda_`.
"""


class Model(BaseModel):
    """A part of the file. The comment at its top explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Row(Model):
    """One item that a document names."""

    name: str
    also: tuple[str, ...] = ()
    value: Any = None
    unit: Literal["", "ms", "s", "m"] = ""
    here: Any = None
    because: str = ""

    field: str = ""
    spec: str = ""
    platform: str = ""
    in_: Literal["dev", "production"] = "production"
    default: str = ""
    of: Literal["pipeline", "scheduler", "platform"] = "pipeline"
    metric: str = ""
    runtime: str = ""
    test: str = ""
    alerts: tuple[str, ...] = ()
    panels: tuple[str, ...] = ()
    artifact: str = ""
    at: str = ""
    later: Literal["", "agent-host"] = ""
    as_: str = ""
    reason: str = ""

    @property
    def expected(self) -> Any:  # noqa: ANN401 - any YAML value
        """The value that the field, the default or the file must have."""
        return self.here if self.here is not None else self.original

    @property
    def original(self) -> Any:  # noqa: ANN401 - as above
        """The value in the document; one with a unit is a duration."""
        return str(Duration.of(Duration(f"{self.value}{self.unit}").amount)) if self.unit else self.value


class Monitored(Model):
    """Something that a document measures or alerts on."""

    what: str
    alerts: tuple[str, ...] = ()
    panels: tuple[str, ...]


class Document(Model):
    """One of the documents."""

    title: str
    settings: dict[str, tuple[Row, ...]]
    monitoring: tuple[Monitored, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all sections."""
        return tuple(row for rows in self.settings.values() for row in rows)


class Additions(Model):
    """The alerts and panels that are in no document, with their reasons."""

    alerts: dict[str, str]
    panels: dict[str, str]


class Table(Model):
    """All tables of the file."""

    documents: dict[str, Document]
    additions: Additions


def read(root: Path) -> Table:
    """Read the file."""
    data = yaml.safe_load((root / DATA).read_text(encoding="utf-8"))
    for document in data["documents"].values():
        for rows in document["settings"].values():
            rows[:] = [{{"in": "in_", "as": "as_"}.get(key, key): value for key, value in row.items()} for row in rows]
    return Table.model_validate(data)


def pages(root: Path = Path(__file__).parents[1]) -> dict[str, str]:
    """The page by its path."""
    return {PAGE: "\n".join([INTRODUCTION, *_lines(read(root))])}


def _lines(table: Table) -> Iterator[str]:
    for document in table.documents.values():
        yield f"## {document.title}\n"
        for section, rows in document.settings.items():
            yield f"### {section}\n"
            yield "| item | value | in Penstock |"
            yield "|---|---|---|"
            for row in rows:
                names = ", ".join(f"`{name}`" for name in (row.name, *row.also))
                yield f"| {names} | {code(row.original)} | {place(row)} |".replace("|  |", "| |")
            yield ""
        if document.monitoring:
            yield "### Monitoring\n"
            yield "| what | alerts | panels |"
            yield "|---|---|---|"
            yield from (
                f"| {one.what} | {code(list(one.alerts)) or '-'} | {', '.join(one.panels)} |"
                for one in document.monitoring
            )
            yield ""
    yield "## Alerts and panels that are in no document\n\n| alert or panel | reason |\n|---|---|"
    yield from (f"| `{name}` | {why} |" for name, why in table.additions.alerts.items())
    yield from (f"| {name} | {why} |" for name, why in table.additions.panels.items())
    yield ""


def place(row: Row) -> str:
    """The place of an item in Penstock, in one line."""
    if row.field or row.default:
        return _value(row)
    if row.alerts or row.panels or row.artifact:
        return _generated(row)
    if row.metric:
        return f"metric `{row.metric}`{_because(row)}"
    if row.runtime:
        path, _, test = row.test.partition("::")
        return f"{row.runtime} ([`{test}`](../../{path}))"
    if row.later:
        return f"planned for `kind: {row.later}`: {row.as_}"
    return f"none: {row.reason}"


def _value(row: Row) -> str:
    if row.default:
        of = {"platform": " of the platform file", "pipeline": ""}.get(row.of, f" of a {row.of}")
        return f"`{row.default}`{of}, by default {code(row.expected)}{_because(row)}"
    file = f"specs/{row.spec}.yaml" if row.spec else "penstock.yaml"
    where = f"`{file}`" + (f", {row.platform or row.in_}" if row.platform or row.in_ == "dev" else "")
    return f"`{row.field}` is {code(row.expected)} in {where}{_because(row)}"


def _generated(row: Row) -> str:
    if row.artifact:
        file = f"[`generated/{row.artifact}`](../../generated/{row.artifact})"
        return f"`{row.at}` is {code(row.expected)} in {file}{_because(row)}" if row.at else f"{row.as_}: {file}"
    kind, names = ("alert", row.alerts) if row.alerts else ("panel", row.panels)
    return f"{kind}{'s' * (len(names) > 1)} {code(list(names))}"


def _because(row: Row) -> str:
    return f", because {row.because}" if row.because else ""


def code(value: object) -> str:
    """A value in backticks; empty for no value."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(code(one) for one in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else '`""`'
