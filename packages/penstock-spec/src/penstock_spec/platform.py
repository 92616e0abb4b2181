"""The platform file: what holds for every pipeline of an environment, written once by those who run the platform."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from penstock_spec.kinds.kind import ForeignField
from penstock_spec.model import Section, about
from penstock_spec.sections import Removal, Suppression
from penstock_spec.values.bounds import ROOM_FOR_PYTHON, SOME_BYTES, SOME_CPU, SOME_TIME
from penstock_spec.values.quantities import Cpu, Duration, Size, Version
from penstock_spec.values.strings import (
    Field_,
    Image,
    LabelKey,
    LabelValue,
    Name,
    Namespace,
    Text,
    Url,
    printable,
    refuse,
)

ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?):([0-9]{1,5})", re.ASCII)
HIGHEST_PORT = 65535


def _address(value: object) -> object:
    if not isinstance(value, str):
        return value
    if "@" in value:
        says = "a user or password stands in the address"
        raise refuse("plaintext-password", says, "take it out, and name a Kubernetes secret under `redis.auth`")
    match = ADDRESS.fullmatch(value)
    if not match or not 0 < int(match[3]) <= HIGHEST_PORT:
        hint = "write `host:port`, such as `redis.media.svc:6379`; database and TLS are fields of their own"
        raise refuse("bad-address", f"`{printable(value)}` is not a host and a port", hint)
    return value


Address = Annotated[str, BeforeValidator(_address)]


FOREIGN = {
    "password": ForeignField("name a Kubernetes secret under `redis.auth`, as `secret: <name>`", "plaintext-password"),
    "url": ForeignField('write `addresses: ["host:port"]`; database and TLS are fields of their own'),
    "host": ForeignField('write `addresses: ["host:port"]`'),
    "db": ForeignField("write `database`"),
    "ssl": ForeignField("write `tls`"),
}
"""Words that people bring from Redis's clients, and what they are called here."""


class Auth(Section):
    """How clients and the scaler authenticate. Secrets are referred to, never written."""

    secret: Annotated[
        Namespace | None,
        about("The Kubernetes secret with the password, in the environment's namespace.", "redis-auth"),
    ] = None
    username: Annotated[
        Text | None, about("The user that Redis's access list knows; none for the default user.", "media")
    ] = None
    password_key: Annotated[Field_, about("The secret's key that holds the password.", "password")] = "password"  # noqa: S105 - the name of a key
    trigger_authentication: Annotated[
        Namespace | None,
        about(
            "A TriggerAuthentication that exists already, for the scaler to use instead of a generated one.",
            "redis-keda",
        ),
    ] = None
    names_tls: Annotated[bool, about("True when that TriggerAuthentication has the `tls` parameter itself.", True)] = (
        False
    )
    scaler_rights: Annotated[
        list[Text],
        about(
            "What the scaler's user may do, as Redis's access list says it; checked against what the triggers ask.",
            ["+ping", "+info", "+xinfo|groups", "+xlen", "+xpending"],
        ),
    ] = []


class Timeouts(Section):
    """How long clients wait for Redis before they say so."""

    connect: Annotated[Duration, about("For a connection.", "2s"), SOME_TIME] = Duration("2s")
    answer: Annotated[
        Duration, about("For an answer; blocking reads get their block time on top.", "3s"), SOME_TIME
    ] = Duration("3s")
    wait: Annotated[Duration, about("For a free connection of the pool.", "5s"), SOME_TIME] = Duration("5s")


class Redis(Section):
    """The Redis of an environment."""

    topology: Annotated[
        Literal["standalone", "cluster", "sentinel"], about("How the servers stand together.", "standalone")
    ] = "standalone"
    addresses: Annotated[
        list[Address],
        about(
            "`host:port` of the server, of the cluster's nodes, or of the sentinels.",
            ["redis.media.svc:6379"],
            min_length=1,
        ),
    ]
    ports: Annotated[
        list[Annotated[int, Field(ge=1, le=HIGHEST_PORT)]],
        about(
            "Ports of servers that no address names, as sentinels or a cluster tell of them; network policies let "
            "pods reach them. With sentinels it is 6379 where nothing is said.",
            [6379],
        ),
    ] = []
    master: Annotated[Text | None, about("The name under which the sentinels know the master.", "media")] = None
    database: Annotated[int, about("The database's number; a cluster has only 0.", 0, ge=0, le=16383)] = 0
    tls: Annotated[bool, about("Talk TLS.", True)] = False
    auth: Annotated[Auth | None, about("How to authenticate; null where nobody must.", {"secret": "redis-auth"})] = None
    connections: Annotated[
        int | None, about("The most connections it takes (`maxclients`, or the plan's limit).", 10000, ge=1)
    ] = None
    memory: Annotated[
        Size | None,
        about(
            "How much it may hold (its `maxmemory`, or the plan's size); `terraform.tfvars.json` asks for it.", "8Gi"
        ),
        SOME_BYTES,
    ] = None
    eviction: Annotated[
        Text, about("Its `maxmemory-policy`. Anything but `noeviction` loses messages.", "noeviction")
    ] = "noeviction"
    timeouts: Annotated[Timeouts, about("How long clients wait.", {"connect": "2s", "answer": "3s", "wait": "5s"})] = (
        Timeouts()
    )


class Versions(Section):
    """What the manifests must suit."""

    kubernetes: Annotated[Version, about("Kubernetes.", "1.36")] = Version("1.36")
    keda: Annotated[Version, about("KEDA.", "2.21")] = Version("2.21")
    prometheus_operator: Annotated[Version, about("The Prometheus operator.", "0.85")] = Version("0.85")
    redis: Annotated[Version, about("Redis, or the version that a Valkey tells.", "8.2")] = Version("7.2")


class PlatformJanitor(Section):
    """The janitor's own size; there is one janitor for all pipelines of an environment."""

    image: Annotated[
        Image | None,
        about(
            "Its image, by a tag that is not `latest`, or by a digest. Without one it is `penstock-janitor`, with "
            "the generator's own version as its tag, as `generated/images/janitor.Dockerfile` builds it.",
            "registry.example/penstock-janitor:0.1.0",
        ),
    ] = None
    replicas: Annotated[int, about("Pods; one works and the others stand by.", 2, ge=1, le=5)] = 2
    cpu: Annotated[Cpu, about("The share of CPUs that each asks for.", "100m"), SOME_CPU] = Cpu("100m")
    memory: Annotated[Size, about("The memory that each asks for, and its limit.", "128Mi"), ROOM_FOR_PYTHON] = Size(
        "128Mi"
    )


class Route(Section):
    """Where the alerts of one team go."""

    slack: Annotated[Text | None, about("A channel; warnings go here, and criticals too.", "#media-oncall")] = None
    pagerduty: Annotated[
        Namespace | None, about("The Kubernetes secret with the integration key; criticals go here.", "pagerduty-media")
    ] = None


Labels = dict[LabelKey, LabelValue]


class DiscoveryLabels(Section):
    """Labels by which others find what is theirs in a cluster; each comes on top of Penstock's own."""

    monitors: Annotated[
        Labels,
        about(
            "On each PodMonitor: what the `podMonitorSelector` of the Prometheus operator asks for.",
            {"release": "monitoring"},
        ),
    ] = {}
    rules: Annotated[
        Labels, about("On each PrometheusRule: what its `ruleSelector` asks for.", {"release": "monitoring"})
    ] = {}
    dashboards: Annotated[
        Labels,
        about("On each ConfigMap with a dashboard: what Grafana's sidecar asks for.", {"grafana_dashboard": "1"}),
    ] = {"grafana_dashboard": "1"}


class Environment(Section):
    """One environment: a namespace, a Redis, and what is installed there."""

    namespace: Annotated[Namespace, about("Where everything of this environment is put.", "media-production")]
    redis: Annotated[Redis, about("The Redis that all its pipelines use.", {"addresses": ["redis.media.svc:6379"]})]
    versions: Annotated[Versions, about("What is installed, and what manifests must suit.", {"kubernetes": "1.36"})] = (
        Versions()
    )
    image_prefix: Annotated[
        Text | None, about("Put before images that name no registry.", "registry.example/mirror/")
    ] = None
    janitor: Annotated[PlatformJanitor, about("The janitor's own size.", {"replicas": 2})] = PlatformJanitor()
    routes: Annotated[
        dict[Name, Route],
        about(
            "Where alerts go, by team; `default` takes those of teams without a route. Alerts on Redis, KEDA and the "
            "janitor are those of the team `platform`.",
            {"media": {"slack": "#media-oncall"}},
        ),
    ] = {}
    found_by: Annotated[
        DiscoveryLabels, about("Labels by which others find what is theirs.", {"monitors": {"release": "monitoring"}})
    ] = DiscoveryLabels()
    dashboard_folder: Annotated[Text, about("Grafana's folder for the dashboards.", "Penstock")] = "Penstock"
    runbooks: Annotated[
        Url | None,
        about(
            "The address under which `generated/` is published; runbook links start with it.",
            "https://runbooks.example/penstock",
        ),
    ] = None
    grafana: Annotated[
        Url | None, about("The address of Grafana; alerts link to dashboards there.", "https://grafana.example")
    ] = None
    defaults: Annotated[
        dict[str, Any], about("Defaults for any field of a spec in this environment, by path.", {"work.lease": "45s"})
    ] = {}


class Platform(Section):
    """What holds for every pipeline, environment by environment."""

    kind: Annotated[Literal["platform"], about("What this file describes.", "platform")]
    environments: Annotated[
        dict[Name, Environment],
        about(
            "The environments, by name.",
            {"production": {"namespace": "media-production", "redis": {"addresses": ["redis.media.svc:6379"]}}},
            min_length=1,
        ),
    ]
    defaults: Annotated[
        dict[str, Any], about("Defaults for any field of a spec, by path.", {"alerts.backlog_age": "10m"})
    ] = {}
    acknowledge: Annotated[list[Removal], about("Removals taken on, with an end date.", [])] = []
    suppress: Annotated[
        list[Suppression], about("Findings in this file that are taken on, with a reason and an end date.", [])
    ] = []
