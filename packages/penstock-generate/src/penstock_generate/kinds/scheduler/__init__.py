"""Everything around a scheduler: so far what its pods read."""

from __future__ import annotations

from penstock_generate.artifact import Artifact
from penstock_generate.kinds import Emitted
from penstock_generate.plan import Planned
from penstock_generate.rendering import Templates
from penstock_spec import worker_file

__all__ = ["emit"]


def emit(it: Planned, templates: Templates) -> Emitted:
    """Its one file. Its environment says nothing of it."""
    del templates  # no file of it has one
    text, _ = worker_file.write(it.environment, it.spec, it.around, None)
    return Emitted((Artifact(f"{it.folder}/worker.json", text, worker_file.__name__),), None)
