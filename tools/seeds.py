"""Makes docs/reference/seeds.md from docs/reference/seeds.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from penstock_spec.values.quantities import Duration

DATA = Path("docs/reference/seeds.yaml")
PAGE = "docs/reference/seeds.md"

TITLES = {
    "000": "Agent queue with KEDA",
    "001": "Priority scheduler",
    "002": "Agent hosts",
    "003": "Queue depth",
    "004": "Media ingestion",
}
INTRODUCTION = """\
<!-- Made by `make generate` from seeds.yaml beside it. -->

# Where every setting went

Five documents about workers and schedulers on Redis, the seeds, stood at the beginning of the design. This page has
each setting, metric, alert, endpoint and key that they name, and what became of it: a field of a spec or of the
platform file, a default, [a metric](metrics.md), an alert or a panel, a line of [a generated file](artifacts.md),
something that the runtime does or that a later part brings, or the reason why there is no such thing. Metrics that
begin with `kube_` and `keda_` are told by Kubernetes and KEDA.
"""


class Row(BaseModel):
    """One thing that a document names. Its file tells what each field means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    also: tuple[str, ...] = ()
    value: Any = None
    unit: Literal["", "ms", "s", "m"] = ""
    ours: Any = None
    because: str = ""

    field: str = ""
    spec: str = ""
    platform: str = ""
    in_: Literal["dev", "production"] = "production"
    default: str = ""
    of: Literal["pipeline", "scheduler", "platform"] = "pipeline"
    metric: str = ""
    runtime: str = ""
    alerts: tuple[str, ...] = ()
    panels: tuple[str, ...] = ()
    artifact: str = ""
    at: str = ""
    later: Literal["", "scheduler", "agent-host"] = ""
    as_: str = ""
    reason: str = ""

    @property
    def here(self) -> Any:  # noqa: ANN401 - whatever YAML can say
        """The value that the field, the default or the file must have."""
        return self.ours if self.ours is not None else self.there

    @property
    def there(self) -> Any:  # noqa: ANN401 - as above
        """The value in the document; with a unit as a duration is written here."""
        return str(Duration.of(Duration(f"{self.value}{self.unit}").amount)) if self.unit else self.value


Table = dict[str, dict[str, list[Row]]]


def read(root: Path) -> Table:
    """By document and section."""
    data = yaml.safe_load((root / DATA).read_text(encoding="utf-8"))
    return {
        seed: {section: [_row(row) for row in rows] for section, rows in sections.items()}
        for seed, sections in data.items()
    }


def _row(row: dict[str, Any]) -> Row:
    return Row(**{{"in": "in_", "as": "as_"}.get(key, key): value for key, value in row.items()})


def pages(root: Path = Path(__file__).parents[1]) -> dict[str, str]:
    """The page by its path."""
    return {PAGE: "\n".join([INTRODUCTION, *_lines(read(root))])}


def _lines(table: Table) -> Iterator[str]:
    for seed, sections in table.items():
        yield f"## {seed}: {TITLES[seed]}\n"
        for section, rows in sections.items():
            yield f"### {section}\n"
            yield "| there | value | here |"
            yield "|---|---|---|"
            for row in rows:
                named = ", ".join(f"`{name}`" for name in (row.name, *row.also))
                yield f"| {named} | {shown(row.there)} | {became(row)} |".replace("|  |", "| |")
            yield ""


def became(row: Row) -> str:
    """What is here instead, in a line."""
    if row.field or row.default:
        return _valued(row)
    if row.alerts or row.panels or row.artifact:
        return _generated(row)
    if row.metric:
        return f"metric `{row.metric}`"
    if row.runtime:
        return f"in the runtime: {row.runtime}"
    if row.later:
        return f"comes with `kind: {row.later}`: {row.as_}"
    return f"none: {row.reason}"


def _valued(row: Row) -> str:
    if row.default:
        of = {"platform": " of the platform file", "pipeline": ""}.get(row.of, f" of a {row.of}")
        return f"`{row.default}`{of}, by default {shown(row.here)}{_because(row)}"
    file = f"specs/{row.spec}.yaml" if row.spec else "penstock.yaml"
    where = f"`{file}`" + (f", {row.platform or row.in_}" if row.platform or row.in_ == "dev" else "")
    return f"`{row.field}` is {shown(row.here)} in {where}{_because(row)}"


def _generated(row: Row) -> str:
    if row.artifact:
        file = f"[`generated/{row.artifact}`](../../generated/{row.artifact})"
        return f"`{row.at}` is {shown(row.here)} in {file}{_because(row)}" if row.at else f"{row.as_}: {file}"
    kind, names = ("alert", row.alerts) if row.alerts else ("panel", row.panels)
    return f"{kind}{'s' * (len(names) > 1)} {', '.join(f'`{name}`' for name in names)}"


def _because(row: Row) -> str:
    return f", because {row.because}" if row.because else ""


def shown(value: object) -> str:
    """A value as code, or nothing."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(shown(one) for one in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else '`""`'
