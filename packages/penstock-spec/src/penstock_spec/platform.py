"""The platform file: settings for all specs of an environment, written by the platform team."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from penstock_spec.kinds.kind import ForeignField
from penstock_spec.model import Section, about
from penstock_spec.sections import Removal, Suppression
from penstock_spec.values.bounds import MIN_1BYTE, MIN_1MCPU, MIN_1MS, MIN_16MI
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
        says = "the address contains a user or a password"
        raise refuse("plaintext-password", says, "remove it, and name a Kubernetes secret under `redis.auth`")
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
    "wait": ForeignField("remove it; each part of a process has its own connection, and waits for none"),
}
"""Field names of Redis clients, and the hint for each."""


class Auth(Section):
    """How clients and the scaler authenticate. The file names secrets and never contains them."""

    secret: Annotated[
        Namespace | None,
        about("The Kubernetes secret with the password, in the environment's namespace.", "redis-auth"),
    ] = None
    username: Annotated[Text | None, about("The user in Redis's access list; null for the default user.", "media")] = (
        None
    )
    password_key: Annotated[Field_, about("The key of the password in the secret.", "password")] = "password"  # noqa: S105 - the name of a key
    trigger_authentication: Annotated[
        Namespace | None,
        about(
            "An existing TriggerAuthentication, which the scaler uses instead of a generated one.",
            "redis-keda",
        ),
    ] = None
    names_tls: Annotated[bool, about("Whether that TriggerAuthentication has the `tls` parameter itself.", True)] = (
        False
    )
    scaler_rights: Annotated[
        list[Text],
        about(
            "The rights of the scaler's user in Redis's access list; rules compare them with the triggers.",
            ["+ping", "+info", "+xinfo|groups", "+xlen", "+xpending"],
        ),
    ] = []


class Certificate(Section):
    """The client certificate for servers that require one (mutual TLS), from a Kubernetes secret."""

    secret: Annotated[
        Namespace,
        about("The Kubernetes secret, in the environment's namespace, as cert-manager creates it.", "redis-client"),
    ]
    certificate_key: Annotated[
        Field_, about("The key of the certificate, with its chain, in the secret.", "tls.crt")
    ] = "tls.crt"
    private_key_key: Annotated[Field_, about("The key of the private key in the secret.", "tls.key")] = "tls.key"
    authorities_key: Annotated[
        Field_ | None,
        about("The key of the authorities to trust, in the secret; null for those of the image and of KEDA.", "ca.crt"),
    ] = None


class Timeouts(Section):
    """How long clients wait for Redis before they fail."""

    connect: Annotated[Duration, about("The timeout of a connection attempt.", "2s"), MIN_1MS] = Duration("2s")
    answer: Annotated[
        Duration,
        about(
            "The longest time without a byte of an answer; a blocking read adds its block time to the first.",
            "3s",
        ),
        MIN_1MS,
    ] = Duration("3s")


class Redis(Section):
    """The Redis of an environment."""

    topology: Annotated[
        Literal["standalone", "cluster", "sentinel"], about("The topology of the servers.", "standalone")
    ] = "standalone"
    addresses: Annotated[
        list[Address],
        about(
            "`host:port` of the server, of the cluster nodes, or of the sentinels.",
            ["redis.media.svc:6379"],
            min_length=1,
        ),
    ]
    ports: Annotated[
        list[Annotated[int, Field(ge=1, le=HIGHEST_PORT)]],
        about(
            "Ports of servers that sentinels or a cluster report and no address names; network policies allow them. "
            "With sentinels the default is 6379.",
            [6379],
        ),
    ] = []
    master: Annotated[Text | None, about("The name of the master at the sentinels.", "media")] = None
    database: Annotated[int, about("The number of the database; a cluster has only 0.", 0, ge=0, le=16383)] = 0
    tls: Annotated[bool, about("Use TLS.", True)] = False
    auth: Annotated[
        Auth | None, about("How to authenticate; null without authentication.", {"secret": "redis-auth"})
    ] = None
    certificate: Annotated[
        Certificate | None,
        about("The client certificate, if the servers require one; needs `tls`.", {"secret": "redis-client"}),
    ] = None
    connections: Annotated[
        int | None, about("The maximum number of connections (`maxclients`, or the limit of the plan).", 10000, ge=1)
    ] = None
    memory: Annotated[
        Size | None,
        about("Its memory (`maxmemory`, or the size of the plan); `terraform.tfvars.json` requests it.", "8Gi"),
        MIN_1BYTE,
    ] = None
    eviction: Annotated[
        Text, about("Its `maxmemory-policy`. Anything but `noeviction` loses messages.", "noeviction")
    ] = "noeviction"
    min_replicas: Annotated[
        int,
        about(
            "Its `min-replicas-to-write`. With 0, a master that sentinels have replaced goes on acknowledging writes, "
            "which are lost.",
            1,
            ge=0,
        ),
    ] = 0
    timeouts: Annotated[Timeouts, about("Timeouts of clients.", {"connect": "2s", "answer": "3s"})] = Timeouts()


class Versions(Section):
    """Versions that the manifests must support."""

    kubernetes: Annotated[Version, about("Kubernetes.", "1.36")] = Version("1.36")
    keda: Annotated[Version, about("KEDA.", "2.21")] = Version("2.21")
    prometheus_operator: Annotated[Version, about("The Prometheus operator.", "0.85")] = Version("0.85")
    redis: Annotated[Version, about("Redis, or the Redis version that Valkey reports.", "8.2")] = Version("7.2")


class PlatformJanitor(Section):
    """The size of the janitor; one janitor serves all pipelines of an environment."""

    image: Annotated[
        Image | None,
        about(
            "Its image, with a digest or a tag other than `latest`. The default is `penstock-janitor` with the "
            "version of the generator as its tag, which `generated/images/janitor.Dockerfile` builds.",
            "registry.example/penstock-janitor:0.1.0",
        ),
    ] = None
    replicas: Annotated[int, about("Pods; one is the leader, the others are standbys.", 2, ge=1, le=5)] = 2
    cpu: Annotated[Cpu, about("The CPU request of each pod.", "100m"), MIN_1MCPU] = Cpu("100m")
    memory: Annotated[Size, about("The memory request and limit of each pod.", "128Mi"), MIN_16MI] = Size("128Mi")


class Route(Section):
    """The receivers of a team's alerts."""

    slack: Annotated[Text | None, about("A channel for warnings and critical alerts.", "#media-oncall")] = None
    pagerduty: Annotated[
        Namespace | None,
        about("The Kubernetes secret with the integration key, for critical alerts.", "pagerduty-media"),
    ] = None


Labels = dict[LabelKey, LabelValue]


class DiscoveryLabels(Section):
    """Labels by which operators and sidecars select manifests, besides Penstock's own labels."""

    monitors: Annotated[
        Labels,
        about(
            "On each PodMonitor: the labels that `podMonitorSelector` of the Prometheus operator selects.",
            {"release": "monitoring"},
        ),
    ] = {}
    rules: Annotated[
        Labels, about("On each PrometheusRule: the labels that `ruleSelector` selects.", {"release": "monitoring"})
    ] = {}
    dashboards: Annotated[
        Labels,
        about(
            "On each ConfigMap with a dashboard: the labels that Grafana's sidecar selects.", {"grafana_dashboard": "1"}
        ),
    ] = {"grafana_dashboard": "1"}


class Environment(Section):
    """One environment: a namespace, a Redis, and the installed versions."""

    namespace: Annotated[Namespace, about("The namespace of all objects of this environment.", "media-production")]
    redis: Annotated[Redis, about("The Redis that all its pipelines use.", {"addresses": ["redis.media.svc:6379"]})]
    versions: Annotated[
        Versions, about("Installed versions, which the manifests must support.", {"kubernetes": "1.36"})
    ] = Versions()
    image_prefix: Annotated[
        Text | None, about("A prefix for images without a registry.", "registry.example/mirror/")
    ] = None
    janitor: Annotated[PlatformJanitor, about("The size of the janitor.", {"replicas": 2})] = PlatformJanitor()
    routes: Annotated[
        dict[Name, Route],
        about(
            "Receivers of alerts by team; `default` is for teams without a route. Alerts about Redis, KEDA and the "
            "janitor belong to the team `platform`.",
            {"media": {"slack": "#media-oncall"}},
        ),
    ] = {}
    found_by: Annotated[
        DiscoveryLabels,
        about("Labels by which operators and sidecars select manifests.", {"monitors": {"release": "monitoring"}}),
    ] = DiscoveryLabels()
    dashboard_folder: Annotated[Text, about("The folder of the dashboards in Grafana.", "Penstock")] = "Penstock"
    runbooks: Annotated[
        Url | None,
        about(
            "The URL at which `generated/` is published; links to runbooks start with it.",
            "https://runbooks.example/penstock",
        ),
    ] = None
    grafana: Annotated[
        Url | None, about("The URL of Grafana; alerts link to its dashboards.", "https://grafana.example")
    ] = None
    defaults: Annotated[
        dict[str, Any], about("Defaults for fields of specs in this environment, by path.", {"work.lease": "45s"})
    ] = {}


class Platform(Section):
    """Settings for all specs, by environment."""

    kind: Annotated[Literal["platform"], about("The kind of this file.", "platform")]
    environments: Annotated[
        dict[Name, Environment],
        about(
            "The environments, by name.",
            {"production": {"namespace": "media-production", "redis": {"addresses": ["redis.media.svc:6379"]}}},
            min_length=1,
        ),
    ]
    defaults: Annotated[
        dict[str, Any], about("Defaults for fields of specs, by path.", {"alerts.backlog_age": "10m"})
    ] = {}
    acknowledge: Annotated[list[Removal], about("Accepted removals, with an end date.", [])] = []
    suppress: Annotated[
        list[Suppression], about("Accepted findings in this file, with a reason and an end date.", [])
    ] = []
