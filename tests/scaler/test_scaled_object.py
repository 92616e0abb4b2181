"""The generated ScaledObject for every retention, topology and kind of authentication, compared exactly."""

from collections.abc import Callable
from typing import Any

import pytest

from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.scaler.formula import can_be_negative, names_in
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.scaler.trigger import KNOWN
from penstock_spec.kinds.pipeline.spec import Pipeline

Specified = Callable[..., SpecContext[Pipeline]]

KEPT = "stream: {retention: {keep: {age: 7d}}}"
BOOST = "scaling: {boost: {when_older_than: 30s, factor: 2.5}}"
TOPOLOGIES = {
    "standalone": 'addresses: ["redis:6379"], database: 3, tls: true',
    "cluster": 'topology: cluster, addresses: ["one:6379", "two:6379"]',
    "sentinel": 'topology: sentinel, addresses: ["one:26379", "two:26379"], master: media',
}
METADATA = {
    "name": "media-cluster",
    "namespace": "media-dev",
    "labels": {
        "app.kubernetes.io/name": "media-cluster",
        "app.kubernetes.io/component": "worker",
        "app.kubernetes.io/part-of": "penstock",
        "app.kubernetes.io/managed-by": "penstock",
        "penstock.dev/team": "media",
    },
}


@pytest.fixture(scope="session")
def emitted(specified: Specified) -> Callable[..., dict[str, Any]]:
    """The manifest of a spec."""

    def emitted(*given: str) -> dict[str, Any]:
        subject = specified(*given)
        return scaled_object(subject.spec, subject.platform)

    return emitted


def test_a_minimal_spec_scales_by_the_length_of_its_stream(emitted: Callable[..., dict[str, Any]]) -> None:
    """The signal is the length minus parked messages and those that stay for another group; the fallback is one pod."""
    connection = {"address": "redis:6379", "databaseIndex": "0"}
    parked = {"listName": "{streams:media-cluster}:media-cluster:parked", "listLength": "32"}
    finished = {"listName": "{streams:media-cluster}:media-cluster:finished", "listLength": "32"}
    assert emitted() == {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": METADATA,
        "spec": {
            "scaleTargetRef": {"name": "media-cluster"},
            "minReplicaCount": 0,
            "maxReplicaCount": 20,
            "pollingInterval": 5,
            "cooldownPeriod": 180,
            "fallback": {"failureThreshold": 3, "replicas": 1},
            "advanced": {
                "horizontalPodAutoscalerConfig": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 300}}},
                "scalingModifiers": {
                    "formula": "max(0, depth - parked - finished)",
                    "target": "32",
                    "activationTarget": "0",
                },
            },
            "triggers": [
                {
                    "type": "redis-streams",
                    "name": "depth",
                    "metadata": connection | {"stream": "streams:media-cluster", "streamLength": "32"},
                },
                {"type": "redis", "name": "parked", "metadata": connection | parked},
                {"type": "redis", "name": "finished", "metadata": connection | finished},
            ],
        },
    }


def test_a_stream_with_history_scales_by_lag_and_pending_messages(emitted: Callable[..., dict[str, Any]]) -> None:
    """The signal is lag plus pending minus parked. Each trigger may fail, which the fallback allows."""
    spec = emitted(f"{KEPT}\nscaling: {{backlog_per_replica: 8}}")["spec"]
    group = {"address": "redis:6379", "databaseIndex": "0", "stream": "streams:media-cluster"}
    group |= {"consumerGroup": "media-cluster"}
    assert spec["advanced"]["scalingModifiers"]["formula"] == "max(0, (lag ?? 0) + (pending ?? 0) - (parked ?? 0))"
    assert spec["fallback"] == {"failureThreshold": 3, "replicas": 1, "behavior": "scalingModifiers"}
    assert [one["name"] for one in spec["triggers"]] == ["lag", "pending", "parked"]
    assert [one["metadata"] for one in spec["triggers"][:2]] == [
        group | {"lagCount": "8"},
        group | {"pendingEntriesCount": "8"},
    ]


@pytest.mark.parametrize(
    ("retention", "formula"),
    [
        ("", "max(0, (depth ?? 0) - (parked ?? 0) - (finished ?? 0)) * ((oldest ?? 0) > 30 ? 2.5 : 1)"),
        (KEPT, "max(0, (lag ?? 0) + (pending ?? 0) - (parked ?? 0)) * ((oldest ?? 0) > 30 ? 2.5 : 1)"),
    ],
)
def test_a_boost_multiplies_the_signal_unless_the_janitor_is_down(
    emitted: Callable[..., dict[str, Any]], retention: str, formula: str
) -> None:
    """KEDA asks the janitor for the age of the oldest message. Without an answer the age counts as 0."""
    spec = emitted(f"{retention}\n{BOOST}")["spec"]
    assert spec["advanced"]["scalingModifiers"]["formula"] == formula
    assert spec["fallback"]["behavior"] == "scalingModifiers"
    assert next(one for one in spec["triggers"] if one["name"] == "oldest") == {
        "type": "metrics-api",
        "name": "oldest",
        "metadata": {
            "url": "http://penstock-janitor.media-dev.svc:8080/pipelines/media-cluster/oldest",
            "valueLocation": "seconds",
            "targetValue": "32",
        },
    }


@pytest.mark.parametrize(
    ("topology", "types", "connection"),
    [
        (
            "standalone",
            ["redis-streams", "redis", "redis"],
            {"address": "redis:6379", "databaseIndex": "3", "enableTLS": "true"},
        ),
        ("cluster", ["redis-cluster-streams", "redis-cluster", "redis-cluster"], {"addresses": "one:6379,two:6379"}),
        (
            "sentinel",
            ["redis-sentinel-streams", "redis-sentinel", "redis-sentinel"],
            {"addresses": "one:26379,two:26379", "sentinelMaster": "media", "databaseIndex": "0"},
        ),
    ],
)
def test_each_topology_has_its_own_trigger_types_and_connection(
    emitted: Callable[..., dict[str, Any]], topology: str, types: list[str], connection: dict[str, str]
) -> None:
    """A cluster has no databases, and Sentinel needs the name of the master."""
    triggers = emitted("", TOPOLOGIES[topology])["spec"]["triggers"]
    assert [one["type"] for one in triggers] == types
    assert triggers[0]["metadata"] == connection | {"stream": "streams:media-cluster", "streamLength": "32"}


@pytest.mark.parametrize(
    ("auth", "name", "tls"),
    [
        ("secret: redis-auth", "media-cluster-redis", "true"),
        ("trigger_authentication: shared", "shared", "true"),
        ("trigger_authentication: shared, names_tls: true", "shared", None),
    ],
)
def test_triggers_reference_secrets_and_set_tls_once(
    emitted: Callable[..., dict[str, Any]], auth: str, name: str, tls: str | None
) -> None:
    """Triggers use the generated or the platform's TriggerAuthentication, and `enableTLS` unless that has TLS."""
    triggers = emitted("", f'addresses: ["redis:6379"], tls: true, auth: {{{auth}}}')["spec"]["triggers"]
    assert [one["authenticationRef"] for one in triggers] == [{"name": name}] * 3
    assert [one["metadata"].get("enableTLS") for one in triggers] == [tls] * 3


def test_scale_down_becomes_the_behavior_of_the_hpa(emitted: Callable[..., dict[str, Any]]) -> None:
    """Window and speed limit are rounded up to whole seconds."""
    spec = emitted("scaling: {poll: 500ms, scale_down: {window: 90s, at_most: {pods: 2, per: 1m}}}")["spec"]
    assert spec["pollingInterval"] == 1
    assert spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"] == {
        "scaleDown": {
            "stabilizationWindowSeconds": 90,
            "policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}],
        }
    }


def test_a_null_fallback_is_not_generated(emitted: Callable[..., dict[str, Any]]) -> None:
    assert "fallback" not in emitted("scaling: {fallback: null}")["spec"]


def test_a_paused_pipeline_is_annotated(emitted: Callable[..., dict[str, Any]]) -> None:
    metadata = emitted("scaling: {paused: true}")["metadata"]
    assert metadata == {**METADATA, "annotations": {"autoscaling.keda.sh/paused": "true"}}


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("retention", ["", KEPT])
@pytest.mark.parametrize("boost", ["", BOOST])
def test_every_generated_scaled_object_is_valid_for_keda(
    specified: Specified, topology: str, retention: str, boost: str
) -> None:
    """Metadata is known and text, all triggers have names and are used, and the formula is never negative."""
    scaler = effective(specified(f"{retention}\n{boost}", TOPOLOGIES[topology]))
    for one in scaler.triggers:
        assert set(one.metadata) <= KNOWN[one.type]
        assert {type(value) for value in one.metadata.values()} == {str}
    assert names_in(scaler.formula) == {one.name for one in scaler.triggers}
    assert not can_be_negative(scaler.formula)
