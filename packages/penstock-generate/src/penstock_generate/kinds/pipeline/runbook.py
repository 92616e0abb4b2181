"""`runbook.md` of a pipeline: what to check and what to do, with its own numbers, keys and commands."""

from __future__ import annotations

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.pods.facts import Facts
from penstock_generate.pods.runbook import common_values
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.pipeline.keys import STATES, PipelineKeys


def runbook(it: PlannedSpec, facts: Facts, alerts: list[Alert], templates: Templates) -> Artifact:
    """The file."""
    own = {"keys": PipelineKeys.of(it.spec), "states": STATES}
    name = "pipeline/runbook.md"
    return templates.artifact(f"{it.folder}/runbook.md", name, common_values(it, facts, alerts) | own)
