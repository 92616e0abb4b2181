"""Everything around a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.around import image
from penstock_generate.artifact import Artifact
from penstock_generate.kinds import Emitted
from penstock_generate.kinds.pipeline import rules
from penstock_generate.kinds.pipeline.acl import acl
from penstock_generate.kinds.pipeline.alerts import Sources, alerts
from penstock_generate.kinds.pipeline.dashboard import drawn
from penstock_generate.kinds.pipeline.facts import Facts, grace_seconds
from penstock_generate.kinds.pipeline.manifests import manifests
from penstock_generate.kinds.pipeline.message_schema import message_schema
from penstock_generate.kinds.pipeline.producer import producer
from penstock_generate.kinds.pipeline.runbook import runbook
from penstock_generate.kinds.pipeline.values import values
from penstock_generate.kinds.pipeline.worker import Worker
from penstock_generate.plan import Member, Planned
from penstock_generate.rendering import Templates
from penstock_generate.text import Written
from penstock_spec.kinds.pipeline.connections import PER_WORKER
from penstock_spec.kinds.pipeline.message import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline

__all__ = ["emit"]


def emit(it: Planned, templates: Templates) -> Emitted:
    """Its files, and what its environment says of it."""
    spec: Pipeline = it.spec
    worker = Worker.of(it)
    member = Member(
        name=it.name,
        kind=spec.kind,
        team=spec.owner.team,
        digest=worker.digest,
        patches_pods=spec.scaling.protect_busy,
        image=image(spec.image, it.around.image_prefix),
        connections=spec.scaling.replicas.max * PER_WORKER,
        grace_seconds=grace_seconds(spec),
    )
    file = schema_of.file_of(spec)
    return Emitted(tuple(_files(it, worker, templates)), member, (file,) if file else ())


def _files(it: Planned, worker: Worker, templates: Templates) -> Iterator[Artifact]:
    yield worker.artifact
    found = alerts(it.spec, Sources.of(it.around.namespace, it.name))
    groups = Written(rules.groups(it, found))
    yield from rules.files(it, found, groups)
    dashboard = drawn(it, found)
    yield dashboard.artifact
    facts = Facts.of(it, worker, groups, dashboard)
    yield from manifests(it, facts, templates)
    yield values(it, facts)
    yield message_schema(it, worker)
    yield producer(it, worker, templates)
    yield acl(it)
    yield runbook(it, facts, found, templates)
