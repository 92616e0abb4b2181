"""What is generated from: a spec as it is in an environment, and what follows from both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock_spec.layers import Layers
from penstock_spec.platform import Environment

DOMAIN = "penstock.dev"
"""What our own labels and annotations begin with."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One spec in one environment, to be emitted."""

    environment: str
    around: Environment
    spec: Any
    """The model of its kind."""
    layers: Layers
    beside: Path
    """The folder of the spec; files that it names are found from here."""

    @property
    def name(self) -> str:
        """Which is also that of its folder."""
        return str(self.spec.name)

    @property
    def source(self) -> str:
        """The file of the spec."""
        return self.layers.document.file

    @property
    def folder(self) -> str:
        """Where everything of it goes."""
        return f"{self.environment}/{self.name}"
