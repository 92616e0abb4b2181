"""A dashboard as it goes into files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.dashboards.text import compact, pretty
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.placeholders import JSON, JSON_IN_YAML, Form, Told
from penstock_generate.rendering.yaml_text import Written
from penstock_spec.values.yaml_text import quoted


@dataclass(frozen=True, slots=True)
class Drawn:
    """Of one spec in one environment."""

    artifact: Artifact
    """For whoever reads it."""
    compact: Written
    """For Grafana, by a ConfigMap: as it stands in YAML."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Of all specs of a shape: the same texts with blanks."""

    pretty: Form
    compact: Form

    @classmethod
    def of(cls, data: Any) -> Self:  # noqa: ANN401 - whatever JSON holds
        """As Grafana is to show it, with blanks."""
        return cls(Form.of(pretty(data), JSON), Form.of(quoted(compact(data)), JSON_IN_YAML))

    def filled(self, folder: str, values: Mapping[str, Any], maker: str) -> Drawn:
        """For the spec whose folder and values these are."""
        artifact = Artifact(f"{folder}/dashboard.json", self.pretty.filled(Told(JSON, values)), maker)
        return Drawn(artifact, Written(self.compact.filled(Told(JSON_IN_YAML, values))))
