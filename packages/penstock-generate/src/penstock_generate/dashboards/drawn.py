"""A dashboard as it goes into files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.artifact import Artifact
from penstock_generate.blanks import JSON, Form, Told
from penstock_generate.dashboards.text import compact, pretty


@dataclass(frozen=True, slots=True)
class Drawn:
    """Of one spec in one environment."""

    artifact: Artifact
    """For whoever reads it."""
    compact: str
    """For Grafana, by a ConfigMap."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Of all specs of a shape: the same texts with blanks."""

    pretty: Form
    compact: Form

    @classmethod
    def of(cls, data: Any) -> Self:  # noqa: ANN401 - whatever JSON holds
        """As Grafana is to show it, with blanks."""
        return cls(Form.of(pretty(data), JSON), Form.of(compact(data), JSON))

    def filled(self, folder: str, values: Mapping[str, Any], maker: str) -> Drawn:
        """For the spec whose folder and values these are."""
        told = Told(JSON, values)
        artifact = Artifact(f"{folder}/dashboard.json", self.pretty.filled(told), maker)
        return Drawn(artifact, self.compact.filled(told))
