"""A dashboard as text for its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.dashboards.json_text import compact, pretty
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.placeholders import JSON, JSON_IN_YAML, Form, Told
from penstock_generate.rendering.yaml_text import Written
from penstock_spec.values.yaml_text import quoted


@dataclass(frozen=True, slots=True)
class Drawn:
    """The dashboard of one spec in one environment."""

    artifact: Artifact
    """For people."""
    compact: Written
    """For Grafana's ConfigMap, as a YAML string."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The dashboard of all specs of one variant, with placeholders."""

    pretty: Form
    compact: Form

    @classmethod
    def of(cls, data: Any) -> Self:  # noqa: ANN401 - whatever JSON holds
        """From Grafana's JSON with placeholders."""
        return cls(Form.of(pretty(data), JSON), Form.of(quoted(compact(data)), JSON_IN_YAML))

    def filled(self, folder: str, values: Mapping[str, Any], maker: str) -> Drawn:
        """For one spec: its folder and its values."""
        artifact = Artifact(f"{folder}/dashboard.json", self.pretty.filled(Told(JSON, values)), maker)
        return Drawn(artifact, Written(self.compact.filled(Told(JSON_IN_YAML, values))))
