"""The files of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_generate.inputs.plan import Member, PlannedSpec
from penstock_generate.inputs.references import image
from penstock_generate.kinds import Emitted
from penstock_generate.kinds.pipeline.alerts import ANY_PIPELINE, alerts
from penstock_generate.kinds.pipeline.dashboard import dashboard
from penstock_generate.kinds.pipeline.message_schema import message_schema
from penstock_generate.kinds.pipeline.producer import producer
from penstock_generate.kinds.pipeline.rules import RECORDED
from penstock_generate.kinds.pipeline.runbook import runbook
from penstock_generate.kinds.pipeline.scaled_object import ROLE, TEMPLATE, artifact, parsed, pods_of
from penstock_generate.pods import rules
from penstock_generate.pods.acl import acl
from penstock_generate.pods.facts import Facts, PodFacts, grace_seconds
from penstock_generate.pods.manifests import manifests
from penstock_generate.pods.values import values
from penstock_generate.pods.worker_artifact import WorkerArtifact
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.pipeline.connections import max_connections
from penstock_spec.kinds.pipeline.message import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.rights.users import grants, quoted

__all__ = ["emit"]


def emit(it: PlannedSpec, templates: Templates) -> Emitted:
    """Emit the files of a pipeline in an environment."""
    spec: Pipeline = it.spec
    schema = schema_of.schema_of(spec, it.spec_folder)
    worker = WorkerArtifact.of(it, schema)
    member = Member(
        name=it.name,
        kind=spec.kind,
        team=spec.owner.team,
        digest=worker.digest,
        role=ROLE,
        args=(ROLE,),
        maintained=True,
        scaled=True,
        patches_pods=spec.scaling.protect_busy,
        image=image(spec.image, it.around.image_prefix),
        connections=max_connections(spec),
        grace_seconds=grace_seconds(spec.shutdown.grace),
        backlog=spec.stream.backlog.limit,
        backlog_bytes=spec.stream.backlog.limit * spec.message.max_size.amount,
        producer=" ".join(map(quoted, grants([(it, "producer")]))),
    )
    file = schema_of.file_of(spec)
    return Emitted(tuple(_files(it, worker, schema, templates)), member, (file,) if file else ())


def _files(it: PlannedSpec, worker: WorkerArtifact, schema: dict[str, Any], templates: Templates) -> Iterator[Artifact]:
    yield worker.artifact
    its_alerts = alerts(it.spec, ANY_PIPELINE)
    ruleset = rules.of(it, its_alerts, RECORDED)
    yield from rules.files(it, ruleset)
    drawn = dashboard(it, its_alerts)
    yield drawn.artifact
    pods = PodFacts.of(it.spec, it.around, pods_of(it.spec, it.around))
    facts = Facts.with_files(pods, worker, ruleset.groups, drawn)
    scaler = artifact(it.folder, pods, it.spec, it.around, templates)
    yield from manifests(it, facts, templates, {"ScaledObject": scaler})
    manifest = parsed(scaler) if templates.overrides(TEMPLATE) else pods.scaled_object
    yield values(it, facts, manifest)
    yield message_schema(it, schema)
    yield producer(it, schema, templates)
    yield acl(it)
    yield runbook(it, facts, its_alerts, templates)
