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

Five documents about workers on Redis Streams, the seeds, stood at the beginning of the design. This page has each
setting, metric, alert, endpoint and key that they name, and what became of it: a field of a spec or of the platform
file, a default, [a metric](metrics.md), something that the runtime does or that a later part brings, or the reason why
there is no such thing. Metrics that begin with `kube_` and `keda_` are told by Kubernetes and KEDA.
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
    of: Literal["pipeline", "platform"] = "pipeline"
    metric: str = ""
    runtime: str = ""
    later: Literal["", "generator", "scheduler", "agent-host"] = ""
    as_: str = ""
    reason: str = ""

    @property
    def here(self) -> Any:  # noqa: ANN401 - whatever YAML can say
        """The value that the field or the default must have."""
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
    because = f", because {row.because}" if row.because else ""
    if row.field:
        file = f"specs/{row.spec}.yaml" if row.spec else "penstock.yaml"
        where = f"`{file}`" + (f", {row.platform or row.in_}" if row.platform or row.in_ == "dev" else "")
        return f"`{row.field}` is {shown(row.here)} in {where}{because}"
    if row.default:
        return (
            f"`{row.default}`{' of the platform file' * (row.of == 'platform')}, by default {shown(row.here)}{because}"
        )
    if row.metric:
        return f"metric `{row.metric}`"
    if row.runtime:
        return f"in the runtime: {row.runtime}"
    if row.later:
        with_ = f"`kind: {row.later}`" if row.later in ("scheduler", "agent-host") else f"the {row.later}"
        return f"comes with {with_}: {row.as_}"
    return f"none: {row.reason}"


def shown(value: object) -> str:
    """A value as code, or nothing."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(shown(one) for one in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else '`""`'
