"""`worker.json`: what a pod reads, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.artifact import Artifact
from penstock_generate.plan import Planned
from penstock_spec import worker_file
from penstock_spec.kinds.pipeline.message.schema_of import schema_of


@dataclass(frozen=True, slots=True)
class Worker:
    """The file, and what others need of it."""

    artifact: Artifact
    digest: str
    schema: dict[str, Any]
    """Of its messages."""

    @classmethod
    def of(cls, it: Planned) -> Self:
        """Of a pipeline in an environment."""
        schema = schema_of(it.spec, it.beside)
        text, digest = worker_file.write(it.environment, it.spec, it.around, schema)
        return cls(Artifact(f"{it.folder}/worker.json", text, worker_file.__name__), digest, schema)
