"""`worker.json`: the only file of Penstock that a pod reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_spec import worker_file


@dataclass(frozen=True, slots=True)
class WorkerArtifact:
    """The file and its digest."""

    artifact: Artifact
    digest: str

    @classmethod
    def of(cls, it: PlannedSpec, schema: dict[str, Any] | None = None) -> Self:
        """For a spec in an environment; `schema` is the JSON Schema of its messages, if it has any."""
        text, digest = worker_file.write(it.environment, it.spec, it.around, schema)
        return cls(Artifact(f"{it.folder}/worker.json", text, worker_file.__name__), digest)
