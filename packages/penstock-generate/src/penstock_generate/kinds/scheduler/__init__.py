"""The files of a scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.inputs.plan import Member, PlannedSpec
from penstock_generate.inputs.references import image
from penstock_generate.kinds import Emitted
from penstock_generate.kinds.scheduler.alerts import ANY_SCHEDULER, alerts
from penstock_generate.kinds.scheduler.dashboard import dashboard
from penstock_generate.kinds.scheduler.expected_runs import sends_to
from penstock_generate.kinds.scheduler.rules import RECORDED
from penstock_generate.kinds.scheduler.runbook import runbook
from penstock_generate.pods import rules
from penstock_generate.pods.acl import acl
from penstock_generate.pods.facts import Facts, PodFacts, Pods, grace_seconds
from penstock_generate.pods.manifests import manifests
from penstock_generate.pods.values import values
from penstock_generate.pods.worker_artifact import WorkerArtifact
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.scheduler.connections import max_connections
from penstock_spec.kinds.scheduler.spec import Scheduler

__all__ = ["emit"]

ROLE = "scheduler"
ARGS = (ROLE, "run")


def emit(it: PlannedSpec, templates: Templates) -> Emitted:
    """Emit the files of a scheduler in an environment."""
    spec: Scheduler = it.spec
    worker = WorkerArtifact.of(it)
    targets = sends_to(spec)
    member = Member(
        name=it.name,
        kind=spec.kind,
        team=spec.owner.team,
        digest=worker.digest,
        role=ROLE,
        args=ARGS,
        maintained=False,
        scaled=False,
        patches_pods=False,
        image=image(spec.image, it.around.image_prefix),
        connections=max_connections(spec),
        grace_seconds=grace_seconds(spec.shutdown.grace),
        sends_to=targets,
    )
    return Emitted(tuple(_files(it, worker, targets, templates)), member)


def _files(
    it: PlannedSpec, worker: WorkerArtifact, targets: tuple[str, ...], templates: Templates
) -> Iterator[Artifact]:
    yield worker.artifact
    its_alerts = alerts(it.spec, ANY_SCHEDULER)
    ruleset = rules.of(it, its_alerts, RECORDED)
    yield from rules.files(it, ruleset)
    drawn = dashboard(it, its_alerts)
    yield drawn.artifact
    pods = Pods(ROLE, ARGS, replicas=it.spec.replicas, sends_to=targets)
    facts = Facts.with_files(PodFacts.of(it.spec, it.around, pods), worker, ruleset.groups, drawn)
    yield from manifests(it, facts, templates)
    yield values(it, facts)
    yield acl(it)
    yield runbook(it, facts, its_alerts, templates)
