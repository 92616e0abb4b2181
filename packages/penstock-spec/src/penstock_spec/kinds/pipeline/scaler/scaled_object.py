"""The ScaledObject of a pipeline: what KEDA is told, as plain data.

until-done   depth - parked            the stream's length is the work left, in flight included
kept         lag + pending - parked    the length counts history, and lag alone forgets work in flight
boost        times a factor            while the oldest message, which the janitor tells, is older than said
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
"""The types of triggers by topology. A list trigger counts sorted sets too."""

JANITOR = "http://penstock-janitor.{namespace}.svc:8080/pipelines/{name}/oldest"
"""Where the janitor tells the age of the oldest message: `{"seconds": 12.5}`."""


@dataclass(frozen=True, slots=True)
class Signal:
    """The number that KEDA sees, and the triggers it is made of."""

    formula: str
    triggers: tuple[dict[str, Any], ...]

    @property
    def bears_failures(self) -> bool:
        """A trigger that fails reads as nothing, where the fallback says so too."""
        return "??" in self.formula


def scaled_object(spec: Pipeline, around: Environment) -> dict[str, Any]:
    """The manifest of a pipeline in an environment."""
    scaling, signal = spec.scaling, signal_of(spec, around)
    metadata: dict[str, Any] = {
        "name": spec.name,
        "namespace": around.namespace,
        "labels": labels(spec.name, "worker", spec.owner.team),
    }
    if scaling.paused:
        metadata["annotations"] = {"autoscaling.keda.sh/paused": "true"}
    told: dict[str, Any] = {
        "scaleTargetRef": {"name": spec.name},
        "minReplicaCount": scaling.replicas.min,
        "maxReplicaCount": scaling.replicas.max,
        "pollingInterval": _whole_seconds(scaling.poll),
        "cooldownPeriod": _whole_seconds(scaling.cooldown),
    }
    if scaling.fallback is not None:
        told["fallback"] = {"failureThreshold": scaling.fallback.failures, "replicas": scaling.fallback.replicas}
        if signal.bears_failures:
            told["fallback"]["behavior"] = "scalingModifiers"
    told["advanced"] = {
        "horizontalPodAutoscalerConfig": {"behavior": {"scaleDown": _scale_down(scaling.scale_down)}},
        # A target with a fraction would switch the fallback off in silence.
        "scalingModifiers": {
            "formula": signal.formula,
            "target": str(scaling.backlog_per_replica),
            "activationTarget": "0",
        },
    }
    told["triggers"] = list(signal.triggers)
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": metadata, "spec": told}


def signal_of(spec: Pipeline, around: Environment) -> Signal:
    """The formula and its triggers."""
    done, boost = spec.stream.retention.keep == "until-done", spec.scaling.boost
    triggers = tuple(_triggers(spec, around))
    if not boost:
        formula = "max(0, depth - parked)" if done else "max(0, (lag ?? 0) + (pending ?? 0) - (parked ?? 0))"
        return Signal(formula, triggers)
    work = "(depth ?? 0)" if done else "(lag ?? 0) + (pending ?? 0)"
    age, factor = f"{boost.when_older_than.seconds:.15g}", f"{float(boost.factor):.15g}"
    return Signal(f"max(0, {work} - (parked ?? 0)) * ((oldest ?? 0) > {age} ? {factor} : 1)", triggers)


def _triggers(spec: Pipeline, around: Environment) -> Iterator[dict[str, Any]]:
    topology, stream = around.redis.topology, spec.stream
    target = str(spec.scaling.backlog_per_replica)
    here, by = _connection(around.redis), _authentication(spec, around.redis)

    def stream_trigger(name: str, **reads: str) -> dict[str, Any]:
        return {"type": STREAMS[topology], "name": name, "metadata": here | {"stream": stream.key} | reads} | by

    if stream.retention.keep == "until-done":
        yield stream_trigger("depth", streamLength=target)
    else:
        yield stream_trigger("lag", consumerGroup=stream.group, lagCount=target)
        yield stream_trigger("pending", consumerGroup=stream.group, pendingEntriesCount=target)
    parked = {"listName": side_key(stream.key, f"{stream.group}:parked"), "listLength": target}
    yield {"type": LISTS[topology], "name": "parked", "metadata": here | parked} | by
    if spec.scaling.boost:
        url = JANITOR.format(namespace=around.namespace, name=spec.name)
        # Its target counts for nothing beside a formula, and KEDA asks for one all the same.
        asked = {"url": url, "valueLocation": "seconds", "targetValue": target}
        yield {"type": "metrics-api", "name": "oldest", "metadata": asked}


def _connection(redis: Redis) -> dict[str, str]:
    tls = {} if not redis.tls or (redis.auth and redis.auth.names_tls) else {"enableTLS": "true"}
    auth = redis.auth
    # The name of a user is no secret; an authentication that exists already has its own.
    user = {"username": auth.username} if auth and auth.username and not auth.trigger_authentication else {}
    if redis.topology == "cluster":  # has no databases
        return {"addresses": ",".join(redis.addresses)} | user | tls
    database = {"databaseIndex": str(redis.database)}
    if redis.topology == "sentinel":
        master = {"sentinelMaster": redis.master} if redis.master else {}
        return {"addresses": ",".join(redis.addresses)} | master | database | user | tls
    return {"address": redis.addresses[0]} | database | user | tls


def _authentication(spec: Pipeline, redis: Redis) -> dict[str, Any]:
    if redis.auth is None:
        return {}
    return {"authenticationRef": {"name": redis.auth.trigger_authentication or f"{spec.name}-redis"}}


def _scale_down(said: ScaleDown) -> dict[str, Any]:
    told: dict[str, Any] = {"stabilizationWindowSeconds": _whole_seconds(said.window)}
    if said.at_most:
        pods, per = said.at_most.pods, _whole_seconds(said.at_most.per)
        told["policies"] = [{"type": "Pods", "value": pods, "periodSeconds": per}]
    return told


def _whole_seconds(duration: Duration) -> int:
    """Rounded up: a poll of half a second is not a poll without pause."""
    return -(-duration.amount // 1000)
