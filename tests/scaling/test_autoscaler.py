"""Invariants of KEDA and the HPA under any load."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scaled_objects import scaled_object, scaling

from penstock_scaling import Autoscaler, Decision, Failed, Readings, Settings, settings_of
from penstock_scaling.hpa import Hpa
from penstock_scaling.scalers import Metric

DEPTHS = st.floats(0, 10_000) | st.integers(0, 300) | st.sampled_from(list(Failed))
TYPES, PERIODS = st.sampled_from(["Pods", "Percent"]), st.sampled_from([15, 60])
POLICIES = st.fixed_dictionaries({"type": TYPES, "value": st.integers(1, 200), "periodSeconds": PERIODS})
RULES = st.fixed_dictionaries(
    {},
    optional={
        "stabilizationWindowSeconds": st.sampled_from([0, 15, 60, 300]),
        "selectPolicy": st.sampled_from(["Max", "Min", "Disabled"]),
        "policies": st.lists(POLICIES, min_size=1, max_size=2),
    },
)
BEHAVIORS = st.none() | st.fixed_dictionaries({}, optional={"scaleUp": RULES, "scaleDown": RULES})


@st.composite
def scalings(draw: st.DrawFn) -> Settings:
    """Settings that Kubernetes and KEDA would accept."""
    least = draw(st.integers(0, 5))
    spec: dict[str, Any] = {"minReplicaCount": least, "maxReplicaCount": max(1, least) + draw(st.integers(0, 30))}
    spec |= {"pollingInterval": draw(st.sampled_from([2, 5, 30])), "cooldownPeriod": draw(st.integers(0, 300))}
    if draw(st.booleans()):
        spec["fallback"] = {"failureThreshold": draw(st.integers(0, 3)), "replicas": draw(st.integers(0, 8))}
    if (behavior := draw(BEHAVIORS)) is not None:
        spec["advanced"] = {"horizontalPodAutoscalerConfig": {"behavior": behavior}}
    return settings_of(scaled_object(spec=spec, formula="max(0, depth)", target=str(draw(st.integers(1, 50)))))


def timeline(scaled: Settings, load: Mapping[int, float | Failed], until: int, replicas: int = 0) -> list[Decision]:
    """All decisions; the load at a second is the last one given before."""
    autoscaler = Autoscaler(scaled)
    decisions: list[Decision] = []
    while (now := autoscaler.due()) <= until:
        depth = load[max(one for one in load if one <= now)]

        def read(depth: float | Failed = depth) -> Readings:
            return {"depth": depth}

        replicas = autoscaler.advance(now, read, replicas)
        decisions += autoscaler.decisions
    return decisions


@given(scalings(), st.dictionaries(st.integers(1, 600), DEPTHS, max_size=12), st.integers(0, 40))
def test_the_pods_stay_within_their_bounds(scaled: Settings, load: dict[int, float | Failed], start: int) -> None:
    """From any start: never above the maximum once at or below it, and below the minimum only on the way up."""
    replicas = min(start, scaled.max)
    for one in timeline(scaled, {0: 0, **load}, 900, replicas):
        assert 0 <= one.after <= scaled.max, one
        assert one.after >= min(scaled.min, one.before), one


@given(scalings(), st.dictionaries(st.integers(1, 600), DEPTHS, max_size=12))
def test_only_keda_scales_to_zero_and_after_the_cooldown(scaled: Settings, load: dict[int, float | Failed]) -> None:
    """The last pods stay for the cooldown after the last poll with work."""
    active = -math.inf
    for one in timeline(scaled, {0: 0, **load}, 1200):
        if one.why.startswith("active"):
            active = one.at
        if one.changed and one.after == 0:
            assert one.by == "KEDA"
            assert scaled.min == 0
            assert one.at >= active + scaled.cooldown


@given(scalings(), st.integers(1, 40), st.floats(0, 5_000), st.floats(0, 5_000))
def test_more_backlog_never_asks_for_fewer_pods(scaled: Settings, replicas: int, one: float, other: float) -> None:
    """With an HPA without history."""
    assume(replicas <= scaled.max)
    less, more = sorted((one, other))
    small = Hpa(scaled).sync([Metric("depth", less, scaled.target)], replicas, 0).replicas
    large = Hpa(scaled).sync([Metric("depth", more, scaled.target)], replicas, 0).replicas
    assert small <= large


@settings(max_examples=40)
@given(scalings(), st.floats(0, 3_000), st.integers(0, 40))
def test_a_steady_load_settles(scaled: Settings, depth: float, start: int) -> None:
    """Up or down, and then not at all: no flapping."""
    decisions = timeline(scaled, {0: depth}, 4_000, min(start, scaled.max))
    steps = [one.after - one.before for one in decisions if one.changed and one.by == "HPA"]
    assert all((before > 0) == (after > 0) for before, after in pairwise(steps))
    held = {one.after for one in decisions if one.at >= 3_900}
    # A rule that takes one of a hundred in a minute takes longer.
    assert len(held) == 1 or decisions[-1].why.endswith("limited by policy")


@given(scalings(), st.integers(2, 30))
def test_nothing_changes_while_redis_is_unreachable(scaled: Settings, pods: int) -> None:
    """After the first read no failure is counted, so the pods stay, however long it lasts."""
    assume(scaled.min <= pods <= scaled.max)
    assume(scaled.fallback is None or scaled.fallback.failures > 1)
    busy = scaled.target * pods
    decisions = timeline(scaled, {0: busy, 100: Failed.UNREACHABLE}, 5_000, pods)
    assert [one for one in decisions if one.changed and one.at > 100 + scaled.poll + scaled.sync] == []


@given(scalings(), st.dictionaries(st.integers(1, 600), DEPTHS, max_size=12))
def test_each_due_time_is_later_than_the_last(scaled: Settings, load: dict[int, float | Failed]) -> None:
    """A caller that waits for `due` never spins."""
    autoscaler, now, replicas = Autoscaler(scaled, start=3.0), 0.0, 0
    for depth in load.values():
        assert autoscaler.due() > now
        now = autoscaler.due()
        replicas = autoscaler.advance(now, lambda: {"depth": depth}, replicas)  # noqa: B023 - called at once
        assert autoscaler.decisions
    assert autoscaler.due() > now


def test_a_late_caller_does_not_catch_up() -> None:
    """One read replaces all missed ones, and the next comes an interval later."""
    autoscaler = Autoscaler(scaling(poll=10), start=0)
    autoscaler.advance(0, lambda: {"depth": 0}, 0)
    autoscaler.advance(47, lambda: {"depth": 0}, 0)
    assert [str(one) for one in autoscaler.decisions] == ["KEDA: not active", "HPA: disabled at 0 replicas"]
    assert autoscaler.due() == 57


def test_nothing_is_read_before_it_is_due() -> None:
    """The HPA does not read at 0 replicas."""
    autoscaler, reads = Autoscaler(scaling(poll=10)), []

    def read() -> Readings:
        reads.append(1)
        return {"depth": 0}

    for now in range(30):
        autoscaler.advance(now, read, 0)
    assert len(reads) == 3


def test_decisions_have_reasons() -> None:
    """In words for a terminal."""
    two_a_minute = {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]}
    scaled = scaling(poll=10, behavior={"scaleDown": two_a_minute})
    decisions = timeline(scaled, {0: 0, 10: 60, 130: 12, 180: 0}, 300)
    assert [(one.at, str(one)) for one in decisions if one.changed] == [
        (10, "KEDA: active: 0 -> 1"),
        (15, "HPA: 60 / 5 -> 12, scale-up limited by policy"),
        (30, "HPA: 60 / 5 -> 12, scale-up limited by policy"),
        (45, "HPA: 60 / 5 -> 12"),
        (135, "HPA: 12 / 5 -> 3, scale-down limited by policy"),
        (195, "HPA: 0 / 5 -> 0, scale-down limited by policy"),
        (230, "KEDA: cooldown over: 8 -> 0"),
    ]
    words = {one.why for one in decisions}
    assert {"active", "not active", "disabled at 0 replicas", "cooldown, 50 s left"} <= words


def test_a_cooldown_is_shown_in_whole_seconds() -> None:
    """Although real time has fractions."""
    clock = Autoscaler(scaling(poll=10))
    clock.advance(0.0, lambda: {"depth": 60}, 0)
    clock.advance(10.0090978, lambda: {"depth": 0}, 1)
    assert [str(one) for one in clock.decisions if one.by == "KEDA"] == ["KEDA: cooldown, 50 s left"]


def test_each_limit_has_its_own_reason() -> None:
    hpa = Hpa(scaling(maxReplicaCount=3))
    assert hpa.sync([Metric("depth", 100, 5)], 2, 0).why == "100 / 5 -> 20, at the maximum"
    assert (
        hpa.sync([Metric("depth", 1, 5)], 3, 15).why
        == "1 / 5 -> 1, held at 20 by the stabilization window, at the maximum"
    )
    assert hpa.sync([Metric("depth", None, 5)], 3, 30).why == "a metric failed: no change"
    assert hpa.sync([], 5, 45).why == "above the maximum: 5 -> 3"
    assert hpa.sync([Metric("depth", 0, 5)], 1, 400).why == "0 / 5 -> 0, at the minimum"
    assert Hpa(scaling(minReplicaCount=2)).sync([], 1, 0).why == "below the minimum: 1 -> 2"
    assert Hpa(scaling()).sync([Metric("depth", 100, 5)], 2, 0).why == "100 / 5 -> 20, scale-up limited"

    def first(scaled: Settings, depth: float | Failed, replicas: int = 0) -> str:
        return timeline(scaled, {0: depth}, 0, replicas)[0].why

    def paused(what: str) -> Settings:
        return settings_of(scaled_object(formula="depth", annotations={what: "true"}))

    assert first(scaling(), Failed.UNREACHABLE) == "Redis is unreachable: no change, no fallback"
    assert first(scaling(), Failed.ERROR) == "a trigger failed: no change"
    assert first(scaling(minReplicaCount=2), 0) == "below the minimum: 0 -> 2"
    assert first(paused("paused"), 5) == "paused"
    assert first(paused("paused-scale-in"), 0, 2) == "not active, but scaling in is paused"
    assert first(paused("paused-scale-out"), 5) == "active, but scaling out is paused"
    four = settings_of(scaled_object(formula="depth", annotations={"paused-replicas": "4"}))
    assert first(four, 5) == "paused: 0 -> 4"
    assert timeline(four, {0: 0}, 900)[1:] == []
