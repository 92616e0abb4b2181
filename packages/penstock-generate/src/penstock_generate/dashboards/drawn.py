"""A dashboard as it goes into files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.artifact import Artifact
from penstock_generate.dashboards.text import compact, pretty


@dataclass(frozen=True, slots=True)
class Drawn:
    """Of one spec in one environment."""

    artifact: Artifact
    """For whoever reads it."""
    compact: str
    """For Grafana, by a ConfigMap."""

    @classmethod
    def of(cls, folder: str, data: Any, maker: str) -> Self:  # noqa: ANN401 - whatever JSON holds
        """As Grafana is to show it."""
        return cls(Artifact(f"{folder}/dashboard.json", pretty(data), maker), compact(data))
