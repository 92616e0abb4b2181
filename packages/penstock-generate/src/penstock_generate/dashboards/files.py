"""A dashboard as text for its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.dashboards.json_text import compact, pretty
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.placeholders import JSON, JSON_IN_YAML, FilledValues, PreparedText
from penstock_generate.rendering.yaml_text import YamlText
from penstock_spec.values.yaml_text import quoted


@dataclass(frozen=True, slots=True)
class DashboardText:
    """The dashboard of one spec in one environment."""

    artifact: Artifact
    """For people."""
    compact: YamlText
    """For Grafana's ConfigMap, as a YAML string."""


@dataclass(frozen=True, slots=True)
class DashboardTemplate:
    """The dashboard of all specs of one variant, with placeholders."""

    pretty: PreparedText
    compact: PreparedText

    @classmethod
    def of(cls, data: Any) -> Self:  # noqa: ANN401 - whatever JSON holds
        """From Grafana's JSON with placeholders."""
        return cls(PreparedText.of(pretty(data), JSON), PreparedText.of(quoted(compact(data)), JSON_IN_YAML))

    def filled(self, folder: str, values: Mapping[str, Any], maker: str) -> DashboardText:
        """For one spec: its folder and its values."""
        artifact = Artifact(f"{folder}/dashboard.json", self.pretty.filled(FilledValues(JSON, values)), maker)
        return DashboardText(artifact, YamlText(self.compact.filled(FilledValues(JSON_IN_YAML, values))))
