"""KEDA's scalers, where a timeline would not show their behaviour."""

from typing import Any

import pytest
from scaled_objects import scaled_object

from penstock_scaling import Failed, settings_of
from penstock_scaling.scalers import LOWEST, ScalerReadout, Scalers, milli

TWO = {"lag": "lag", "pending": "pending"}


def scalers(formula: str | None, **fallback: Any) -> Scalers:  # noqa: ANN401 - as a manifest has it
    return Scalers(settings_of(scaled_object(TWO, {"fallback": fallback} if fallback else None, formula)))


def values(read: ScalerReadout) -> list[float | None]:
    return [one.value for one in read.metrics]


def test_each_trigger_has_its_own_activation() -> None:
    """Without a formula, any active trigger is enough."""
    manifest = scaled_object(TWO)
    manifest["spec"]["triggers"][0]["metadata"]["activationLagCount"] = "3"
    plain = Scalers(settings_of(manifest))
    assert not plain.read({"lag": 3, "pending": 0}, 1).active
    assert plain.read({"lag": 4, "pending": 0}, 1).active
    assert plain.read({"lag": 0, "pending": 1}, 1).active


@pytest.mark.parametrize(
    ("behavior", "pods", "held"),
    [
        ("static", 8, 3),
        ("", 8, 3),
        ("currentReplicas", 8, 8),
        ("currentReplicasIfHigher", 8, 8),
        ("currentReplicasIfHigher", 2, 3),
        ("currentReplicasIfLower", 8, 3),
        ("currentReplicasIfLower", 2, 2),
    ],
)
@pytest.mark.parametrize("formula", ["lag + pending", None])
def test_a_fallback_stands_for_a_number_of_pods(behavior: str, pods: int, held: int, formula: str | None) -> None:
    """Times the target, here 5 everywhere."""
    failing = scalers(formula, replicas=3, failureThreshold=0, behavior=behavior)
    read = failing.read({"lag": Failed.ERROR, "pending": Failed.ERROR}, pods)
    assert values(read) == [held * 5] * len(read.metrics)
    assert (read.active, read.error, read.falling_back) == (True, False, True)


def test_a_fallback_beside_an_error_is_not_active() -> None:
    """The HPA gets its value nevertheless."""
    failing = scalers("lag + pending", replicas=3, failureThreshold=1)
    failing.read({"lag": Failed.ERROR, "pending": 0}, 1)
    read = failing.read({"lag": Failed.ERROR, "pending": Failed.ERROR}, 1)
    assert (read.active, read.error, read.falling_back, values(read)) == (False, True, True, [15])


def test_a_fallback_to_zero_is_active_without_a_formula() -> None:
    """KEDA treats a falling-back trigger as active at any value; the value of a formula must be above zero."""
    failures = {"lag": Failed.ERROR, "pending": Failed.ERROR}
    assert scalers(None, replicas=0, failureThreshold=0).read(failures, 1).active
    assert not scalers("lag", replicas=0, failureThreshold=0).read(failures, 1).active


def test_nil_without_a_formula_is_minus_one() -> None:
    """KEDA has no other value for it."""
    failing = scalers(None, replicas=3, failureThreshold=0, behavior="scalingModifiers")
    read = failing.read({"lag": Failed.ERROR, "pending": 2}, 1)
    assert (values(read), read.active, read.error) == ([-1, 2], True, False)


def test_a_failed_formula_is_not_a_trigger_error() -> None:
    """Nothing is active, and the HPA gets no value. Without a fallback, nil fails in the same way."""
    for formula in ("lag % 2", "nil ?? nil", "lag > 0"):
        read = scalers(formula).read({"lag": 1, "pending": 2}, 1)
        assert (values(read), read.active, read.error) == ([None], False, False)


def test_a_trigger_without_reading_has_failed() -> None:
    """Readings must cover all triggers."""
    assert scalers("lag").read({"lag": 1}, 1).error


def test_metrics_are_whole_thousandths() -> None:
    """Truncated, not rounded; infinity becomes the lowest integer."""
    assert milli(0.2999) == 0.299
    assert milli(-0.2999) == -0.299
    assert milli(float("inf")) == milli(float("nan")) == LOWEST == -(2**63)
    assert values(scalers("lag / pending").read({"lag": 1, "pending": 3}, 1)) == [0.333]
    assert values(scalers("lag / pending").read({"lag": 1, "pending": 0}, 1)) == [LOWEST]
