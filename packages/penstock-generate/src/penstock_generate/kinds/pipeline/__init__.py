"""Everything around a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.artifact import Artifact
from penstock_generate.kinds.pipeline.alerts import alerts
from penstock_generate.kinds.pipeline.manifests import header, manifests
from penstock_generate.kinds.pipeline.rules import groups, tests
from penstock_generate.plan import Planned
from penstock_generate.rendering import Templates
from penstock_generate.text import document
from penstock_spec import worker_file
from penstock_spec.kinds.pipeline.message.schema_of import schema_of

__all__ = ["emit"]


def emit(it: Planned, templates: Templates) -> Iterator[Artifact]:
    """Its files, in no particular order."""
    text, digest = worker_file.write(it.environment, it.spec, it.around, schema_of(it.spec, it.beside))
    found = alerts(it)
    rules = groups(it, found)
    yield Artifact(f"{it.folder}/worker.json", text)
    yield Artifact(f"{it.folder}/rules.yaml", header(it) + document({"groups": rules}))
    yield Artifact(f"{it.folder}/rules.test.yaml", header(it) + document(tests(it, found, "rules.yaml")))
    yield from manifests(it, text, digest, rules, templates)
