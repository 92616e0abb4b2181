"""`worker.json`: what a pod reads, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_spec import worker_file


@dataclass(frozen=True, slots=True)
class Worker:
    """The file, and what others need of it."""

    artifact: Artifact
    digest: str

    @classmethod
    def of(cls, it: PlannedSpec, schema: dict[str, Any] | None = None) -> Self:
        """Of a spec in an environment; `schema` is that of its messages, where it has any."""
        text, digest = worker_file.write(it.environment, it.spec, it.around, schema)
        return cls(Artifact(f"{it.folder}/worker.json", text, worker_file.__name__), digest)
