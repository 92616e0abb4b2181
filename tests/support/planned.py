"""Resolves a test's own spec as the generator does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.rendering.templates import Templates
from penstock_generate.rendering.yaml_text import document
from penstock_spec.kinds import kinds
from penstock_spec.linting import check, lint
from penstock_spec.repository import open_repository, read_inputs

TEMPLATES = Templates()
REDIS = {"addresses": ["redis.svc:6379"]}


def planned(folder: Path, spec: dict[str, Any], environment: dict[str, Any] | None = None) -> PlannedSpec:
    """Resolve a spec in the only environment of a repository in this folder."""
    base = {"kind": "pipeline", "name": "pets", "owner": {"team": "pets"}, "handler": "pets:run", "image": "pets:1"}
    kind = str(spec.get("kind", base["kind"]))
    settings = {"namespace": "pets", "redis": REDIS} | (environment or {})
    (folder / "specs").mkdir(exist_ok=True)
    (folder / "specs/pets.yaml").write_text(document(base | spec))
    (folder / "penstock.yaml").write_text(document({"kind": "platform", "environments": {"dev": settings}}))
    repository = open_repository((), None, folder)
    inputs = read_inputs(repository)
    platform = check.check_platform(lint.load(inputs.platform))
    assert platform.model is not None
    document_ = lint.load(inputs.specs[0])
    resolved, layers = check.resolve(kinds()[kind], document_, platform, "dev")
    return PlannedSpec("dev", platform.model.environments["dev"], resolved, layers, folder / "specs")
