"""Facts that manifests and the chart's values share, computed once so that they cannot differ."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from penstock_generate.dashboards.files import DashboardText
from penstock_generate.inputs.references import Secret, image, redis_ports, secret
from penstock_generate.pods.worker_artifact import WorkerArtifact
from penstock_generate.rendering.yaml_text import YamlText
from penstock_spec.platform import Certificate, Environment
from penstock_spec.pods import EgressRule, labels, selector
from penstock_spec.values.quantities import Duration


@dataclass(frozen=True, slots=True)
class Pods:
    """The facts that a kind gives about its pods."""

    role: str
    """The role of the pods: `worker`."""
    args: tuple[str, ...]
    """Arguments of `penstock`, before the worker file."""
    replicas: int | None = None
    """The fixed number of pods; None if they are scaled."""
    scaled_object: dict[str, Any] | None = None
    """The ScaledObject before templates and patches; None if the number is fixed."""
    makes_authentication: bool = False
    """Whether Penstock generates the TriggerAuthentication."""
    sends_to: tuple[str, ...] = ()
    """Pipelines whose worker files the pods read too."""


@dataclass(frozen=True, slots=True)
class PodFacts:
    """Facts that follow from a spec and its environment alone. Templates know each by its name here."""

    role: str
    args: list[str]
    """Of the container."""
    replicas: int | None
    scaled_object: dict[str, Any] | None
    """As it follows from the spec, before templates and patches."""
    makes_authentication: bool
    sends_to: list[str]
    labels: dict[str, str]
    """Of all objects of the spec."""
    selector: dict[str, str]
    """The labels that select its pods. A Deployment's selector is immutable, so it has only what never changes."""
    image: str
    grace_seconds: int
    secret: Secret | None
    certificate: Certificate | None
    """The client certificate, if Redis requires one."""
    redis_ports: list[int]
    egress: list[dict[str, Any]]
    """Rules of a NetworkPolicy for connections to others than Redis."""

    @classmethod
    def of(cls, spec: Any, around: Environment, pods: Pods) -> PodFacts:  # noqa: ANN401 - the model of any kind
        """The facts of a spec in an environment."""
        return PodFacts(
            role=pods.role,
            args=[*pods.args, "/etc/penstock/worker.json"],
            replicas=pods.replicas,
            scaled_object=pods.scaled_object,
            makes_authentication=pods.makes_authentication,
            sends_to=list(pods.sends_to),
            labels=labels(spec.name, pods.role, spec.owner.team),
            selector=selector(spec.name, pods.role),
            image=image(spec.image, around.image_prefix),
            grace_seconds=grace_seconds(spec.shutdown.grace),
            secret=secret(around.redis),
            certificate=around.redis.certificate,
            redis_ports=redis_ports(around.redis),
            egress=[_egress(one) for one in spec.egress],
        )

    def values(self) -> dict[str, Any]:
        """For templates, by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, slots=True)
class Facts(PodFacts):
    """All facts, with files that are generated for the spec."""

    worker_file: str
    digest: str
    """Of the worker file."""
    rules: YamlText
    """Groups of rules."""
    dashboard: YamlText
    """As compact JSON."""

    @classmethod
    def with_files(cls, pods: PodFacts, worker: WorkerArtifact, rules: YamlText, dashboard: DashboardText) -> Self:
        """Add the files to the facts of the pods."""
        return cls(
            **pods.values(),
            worker_file=worker.artifact.content,
            digest=worker.digest,
            rules=rules,
            dashboard=dashboard.compact,
        )


def _egress(one: EgressRule) -> dict[str, Any]:
    """As a rule of a NetworkPolicy; without peers it allows any destination."""
    named = {"kubernetes.io/metadata.name": one.namespace}
    to = [
        *([{"ipBlock": {"cidr": one.cidr}}] if one.cidr else []),
        *([{"namespaceSelector": {"matchLabels": named}}] if one.namespace else []),
    ]
    return {**({"to": to} if to else {}), "ports": [{"port": one.port, "protocol": one.protocol}]}


def grace_seconds(grace: Duration) -> int:
    """From SIGTERM to SIGKILL, rounded up."""
    return -(-grace.amount // 1000)
