"""The ScaledObject of a pipeline as plain data.

Its formula depends on the retention:

until-done   depth - parked - finished   the length is the remaining work, including running messages; finished
                                         messages stay only while another group reads the stream
kept         lag + pending - parked      the length includes history, and lag alone ignores running messages
boost        times a factor              while the oldest message, as reported by the janitor, is too old
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock_spec.kinds.pipeline.derive import side_key
from penstock_spec.kinds.pipeline.scaling import ScaleDown
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Environment, Redis
from penstock_spec.pods import labels
from penstock_spec.values.quantities import Duration

STREAMS = {"standalone": "redis-streams", "cluster": "redis-cluster-streams", "sentinel": "redis-sentinel-streams"}
LISTS = {"standalone": "redis", "cluster": "redis-cluster", "sentinel": "redis-sentinel"}
"""The trigger types by topology. A list trigger counts sets and sorted sets too."""

JANITOR = "http://penstock-janitor.{namespace}.svc:8080/pipelines/{name}/oldest"
"""The janitor's endpoint with the age of the oldest message: `{"seconds": 12.5}`."""


@dataclass(frozen=True, slots=True)
class Signal:
    """The scaling signal: a formula and its triggers."""

    formula: str
    triggers: tuple[dict[str, Any], ...]

    @property
    def tolerates_failures(self) -> bool:
        """Whether a failing trigger counts as 0. The fallback must allow it too."""
        return "??" in self.formula


def scaled_object(spec: Pipeline, environment: Environment) -> dict[str, Any]:
    """The manifest of a pipeline in an environment."""
    scaling, signal = spec.scaling, signal_of(spec, environment)
    metadata: dict[str, Any] = {
        "name": spec.name,
        "namespace": environment.namespace,
        "labels": labels(spec.name, "worker", spec.owner.team),
    }
    if scaling.paused:
        metadata["annotations"] = {"autoscaling.keda.sh/paused": "true"}
    body: dict[str, Any] = {
        "scaleTargetRef": {"name": spec.name},
        "minReplicaCount": scaling.replicas.min,
        "maxReplicaCount": scaling.replicas.max,
        "pollingInterval": _whole_seconds(scaling.poll),
        "cooldownPeriod": _whole_seconds(scaling.cooldown),
    }
    if scaling.fallback is not None:
        body["fallback"] = {"failureThreshold": scaling.fallback.failures, "replicas": scaling.fallback.replicas}
        if signal.tolerates_failures:
            body["fallback"]["behavior"] = "scalingModifiers"
    body["advanced"] = {
        "horizontalPodAutoscalerConfig": {"behavior": {"scaleDown": _scale_down(scaling.scale_down)}},
        # With a fractional target KEDA would silently ignore the fallback.
        "scalingModifiers": {
            "formula": signal.formula,
            "target": str(scaling.backlog_per_replica),
            "activationTarget": "0",
        },
    }
    body["triggers"] = list(signal.triggers)
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": metadata, "spec": body}


def signal_of(spec: Pipeline, environment: Environment) -> Signal:
    """The scaling signal of a pipeline."""
    done, boost = spec.stream.retention.keep == "until-done", spec.scaling.boost
    triggers = tuple(_triggers(spec, environment))
    if not boost:
        formula = "max(0, depth - parked - finished)" if done else "max(0, (lag ?? 0) + (pending ?? 0) - (parked ?? 0))"
        return Signal(formula, triggers)
    work = "(depth ?? 0)" if done else "(lag ?? 0) + (pending ?? 0)"
    idle = "(parked ?? 0) - (finished ?? 0)" if done else "(parked ?? 0)"
    age, factor = f"{boost.when_older_than.seconds:.15g}", f"{float(boost.factor):.15g}"
    return Signal(f"max(0, {work} - {idle}) * ((oldest ?? 0) > {age} ? {factor} : 1)", triggers)


def _triggers(spec: Pipeline, environment: Environment) -> Iterator[dict[str, Any]]:
    topology, stream = environment.redis.topology, spec.stream
    target = str(spec.scaling.backlog_per_replica)
    here, by = _connection(environment.redis), _authentication(spec, environment.redis)

    def stream_trigger(name: str, **reads: str) -> dict[str, Any]:
        return {"type": STREAMS[topology], "name": name, "metadata": here | {"stream": stream.key} | reads} | by

    if stream.retention.keep == "until-done":
        yield stream_trigger("depth", streamLength=target)
    else:
        yield stream_trigger("lag", consumerGroup=stream.group, lagCount=target)
        yield stream_trigger("pending", consumerGroup=stream.group, pendingEntriesCount=target)

    def list_trigger(name: str) -> dict[str, Any]:
        reads = {"listName": side_key(stream.key, f"{stream.group}:{name}"), "listLength": target}
        return {"type": LISTS[topology], "name": name, "metadata": here | reads} | by

    yield list_trigger("parked")
    if spec.scaling.boost:
        url = JANITOR.format(namespace=environment.namespace, name=spec.name)
        # KEDA requires a target, although a formula ignores it.
        metadata = {"url": url, "valueLocation": "seconds", "targetValue": target}
        yield {"type": "metrics-api", "name": "oldest", "metadata": metadata}
    if stream.retention.keep == "until-done":
        yield list_trigger("finished")  # the last one: patches name triggers by their number


def _connection(redis: Redis) -> dict[str, str]:
    tls = {} if not redis.tls or (redis.auth and redis.auth.names_tls) else {"enableTLS": "true"}
    auth = redis.auth
    # A user name is not secret. An existing TriggerAuthentication has its own.
    user = {"username": auth.username} if auth and auth.username and not auth.trigger_authentication else {}
    if redis.topology == "cluster":  # a cluster has no databases
        return {"addresses": ",".join(redis.addresses)} | user | tls
    database = {"databaseIndex": str(redis.database)}
    if redis.topology == "sentinel":
        master = {"sentinelMaster": redis.master} if redis.master else {}
        return {"addresses": ",".join(redis.addresses)} | master | database | user | tls
    return {"address": redis.addresses[0]} | database | user | tls


def _authentication(spec: Pipeline, redis: Redis) -> dict[str, Any]:
    if redis.auth is None and redis.certificate is None:
        return {}
    own = redis.auth.trigger_authentication if redis.auth else None
    return {"authenticationRef": {"name": own or f"{spec.name}-redis"}}


def _scale_down(scale_down: ScaleDown) -> dict[str, Any]:
    behavior: dict[str, Any] = {"stabilizationWindowSeconds": _whole_seconds(scale_down.window)}
    if scale_down.at_most:
        pods, per = scale_down.at_most.pods, _whole_seconds(scale_down.at_most.per)
        behavior["policies"] = [{"type": "Pods", "value": pods, "periodSeconds": per}]
    return behavior


def _whole_seconds(duration: Duration) -> int:
    """Round up, so that half a second does not become 0."""
    return -(-duration.amount // 1000)
