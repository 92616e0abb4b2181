"""Manifests that a repository's own templates change. The generator renders them, and rules check the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # a cached lint run does not import the models
    from penstock_spec.platform import Environment
    from penstock_spec.reading import Path


@dataclass(frozen=True, slots=True)
class RenderedManifest:
    """A manifest from a template."""

    manifest: Any
    line_of: Callable[[Path], str]
    """The line of the template behind a place: `templates/pipeline/manifests/scaledobject.yaml.j2:7`."""


class ManifestTemplates(Protocol):
    """The templates of a repository that overrides some."""

    @property
    def key(self) -> str:
        """A digest of the templates and of the code that renders them, for caches."""

    def scaled_object(self, spec: Any, environment: Environment) -> RenderedManifest:  # noqa: ANN401 - the model of a kind
        """The ScaledObject of a pipeline, before patches. Raises CannotGoOn if the template cannot be rendered."""
