"""The settings that KEDA and the HPA read from a ScaledObject, patched or not."""

from collections.abc import Mapping
from typing import Any

import pytest
from scaled_objects import scaled_object
from spec_contexts import context_of

from penstock_scaling import settings_of
from penstock_scaling.settings import DOWN, UP, Behavior, Fallback, Pause, Policy, ScalingRules, Trigger
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.effective import effective

Manifest = dict[str, Any]


def test_absent_fields_have_kedas_defaults() -> None:
    """As in its documentation and source."""
    settings = settings_of({"spec": {"triggers": scaled_object({"depth": "length"})["spec"]["triggers"]}})

    assert (settings.min, settings.max, settings.idle) == (0, 100, None)
    assert (settings.poll, settings.cooldown, settings.initial_cooldown) == (30, 300, 0)
    assert (settings.formula, settings.fallback, settings.behavior) == (None, None, None)
    assert (settings.tolerance, settings.sync, settings.window, settings.hpa_min) == (0.1, 15, 300, 1)


def test_a_spec_is_read_as_deployed() -> None:
    """With its patches."""
    subject = context_of("""
scaling:
  replicas: {min: 2, max: 9}
  poll: 7s
  cooldown: 2m
  backlog_per_replica: 12
  scale_down: {window: 4m, at_most: {pods: 3, per: 1m}}
patches:
- {target: ScaledObject, op: add, path: /spec/idleReplicaCount, value: 0, reason: sleeps}
- {target: ScaledObject, op: replace, path: /spec/maxReplicaCount, value: 11, reason: a little more}
""")
    settings = settings_of(effective(subject).result.manifest)

    assert (settings.min, settings.max, settings.idle, settings.poll, settings.cooldown) == (2, 11, 0, 7, 120)
    assert settings.formula is not None
    assert settings.formula.text == "max(0, depth - parked - finished)"
    assert (settings.target, settings.activation) == (12, 0)
    assert settings.fallback == Fallback(replicas=2, failures=3)
    assert settings.behavior == Behavior(UP, ScalingRules(240, (Policy("Pods", 3, 60),)))
    assert [(one.name, one.reads) for one in settings.triggers] == [
        ("depth", "length"),
        ("parked", "parked"),
        ("finished", "parked"),
    ]


@pytest.mark.parametrize(("target", "counts"), [("5", True), ("5.0", False), ("2.5", False), ("5e0", False)])
def test_a_fallback_with_a_formula_needs_a_whole_target(*, target: str, counts: bool) -> None:
    """Its notation counts, not its value. Without a formula it does not matter."""
    spec = {"fallback": {"failureThreshold": 3, "replicas": 2}}
    settings = settings_of(scaled_object(spec=spec, formula="depth", target=target))
    assert (settings.valid_fallback is not None) == counts
    assert settings.fallback is not None
    assert settings_of(scaled_object(spec=spec)).valid_fallback is not None


def test_a_trigger_has_the_target_of_its_mode() -> None:
    """A Redis scaler connects when it is built; an HTTP scaler does not."""
    kinds = {"depth": "length", "lag": "lag", "pending": "pending", "parked": "list", "oldest": "http"}
    manifest = scaled_object(kinds)
    manifest["spec"]["triggers"][0]["metadata"]["activationLagCount"] = "3"

    assert settings_of(manifest).triggers == (
        Trigger("depth", 5, 3, "length"),
        Trigger("lag", 5, 0, "lag"),
        Trigger("pending", 5, 0, "pending"),
        Trigger("parked", 5, 0, "parked"),
        Trigger("oldest", 5, 0, "oldest", connects=False),
    )


def test_a_behavior_without_a_direction_gets_kubernetes_defaults() -> None:
    """So does a direction without policies."""
    manifest = scaled_object({"depth": "length"})
    config: Manifest = {"behavior": {"scaleDown": {"selectPolicy": "Min", "tolerance": "0.2"}}}
    manifest["spec"]["advanced"] = {"horizontalPodAutoscalerConfig": config}

    assert settings_of(manifest).behavior == Behavior(UP, ScalingRules(300, DOWN.policies, "Min", 0.2))


@pytest.mark.parametrize(
    ("annotations", "pause"),
    [
        ({}, Pause()),
        ({"paused": "true"}, Pause(everything=True)),
        ({"paused": "false"}, Pause()),
        ({"paused": "of course"}, Pause(everything=True)),
        ({"paused-replicas": "4"}, Pause(everything=True, at=4)),
        ({"paused-replicas": "four"}, Pause(everything=True)),
        ({"paused-scale-in": "1", "paused-scale-out": "0"}, Pause(scale_in=True)),
        ({"paused-scale-out": "T", "force-activation": "true"}, Pause(scale_out=True, force_activation=True)),
    ],
)
def test_pause_annotations_are_read_as_in_keda(annotations: Mapping[str, str], pause: Pause) -> None:
    """Invalid booleans count as true."""
    assert settings_of(scaled_object({"depth": "length"}, annotations=annotations)).pause == pause


@pytest.mark.parametrize(
    "patched",
    [
        {"minReplicaCount": "many", "fallback": 3, "advanced": [], "pollingInterval": True, "cooldownPeriod": -4},
        {"advanced": {"scalingModifiers": "none", "horizontalPodAutoscalerConfig": {"behavior": "quick"}}},
        {"maxReplicaCount": None, "idleReplicaCount": "0"},
    ],
)
def test_invalid_values_count_as_absent(patched: Manifest) -> None:
    """A rule reports them; here they must not matter."""
    manifest = scaled_object({"depth": "length"})
    nothing = settings_of({"spec": {"triggers": manifest["spec"]["triggers"], "maxReplicaCount": 20}})

    manifest["spec"] = {"maxReplicaCount": 20, "triggers": manifest["spec"]["triggers"]} | {
        key: value for key, value in patched.items() if key != "maxReplicaCount"
    }
    assert settings_of(manifest) == nothing


@pytest.mark.parametrize("manifest", [{}, {"spec": []}, {"spec": {"triggers": "all"}}, {"spec": {"triggers": [3]}}])
def test_other_manifests_have_no_triggers(manifest: Manifest) -> None:
    """And defaults for everything else."""
    assert settings_of(manifest).triggers == ()


@pytest.mark.parametrize(
    ("change", "says", "hint"),
    [
        (
            {"formula": "depth +"},
            "cannot parse the formula `depth +`: it ends too early",
            "write numbers, triggers, `+ - * /`, comparisons, `? :`, `??`, and functions such as `max`",
        ),
        (
            {"formula": "depth + lenght"},
            "the formula names `lenght`, but no trigger has that name",
            "name an existing trigger",
        ),
        (
            {"formula": "depth", "target": "none"},
            "a formula needs a target above 0",
            'write the target per pod: `target: "32"`',
        ),
        (
            {"formula": "depth", "metricType": "Value"},
            "a metric of type `Value` depends on the number of ready pods, which is not simulated",
            "remove `metricType`; the default is `AverageValue`",
        ),
    ],
)
def test_unsupported_settings_are_refused(change: Mapping[str, str], says: str, hint: str) -> None:
    """With a hint."""
    manifest = scaled_object({"depth": "length"}, formula="depth")
    manifest["spec"]["advanced"]["scalingModifiers"] |= change

    with pytest.raises(CannotGoOn) as caught:
        settings_of(manifest)

    assert (caught.value.says, caught.value.hint) == (says, hint)


def test_an_unknown_trigger_needs_a_formula() -> None:
    """A formula ignores the trigger's own target."""
    manifest = scaled_object({"depth": "length"})
    manifest["spec"]["triggers"].append({"name": "noon", "type": "cron", "metadata": {"desiredReplicas": "3"}})

    with pytest.raises(CannotGoOn) as caught:
        settings_of(manifest)

    assert caught.value.says == "the target of a trigger of type `cron` is not known"
    assert caught.value.hint == "count it in a formula, whose target counts instead"
    manifest["spec"]["advanced"] = {"scalingModifiers": {"formula": "depth + noon", "target": "5"}}
    assert settings_of(manifest).triggers[1] == Trigger("noon", 0, connects=False)
