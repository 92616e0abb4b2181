"""What KEDA makes of what its triggers read, where a timeline would not show it."""

from typing import Any

import pytest
from scaled import scaled_object

from penstock_scaling import Failed, settings_of
from penstock_scaling.scalers import LOWEST, ScalerReadout, Scalers, milli

TWO = {"lag": "lag", "pending": "pending"}


def scalers(formula: str | None, **fallback: Any) -> Scalers:  # noqa: ANN401 - as a manifest has it
    return Scalers(settings_of(scaled_object(TWO, {"fallback": fallback} if fallback else None, formula)))


def values(look: ScalerReadout) -> list[float | None]:
    return [one.value for one in look.metrics]


def test_each_trigger_has_its_own_activation() -> None:
    """Without a formula; any that is active is enough."""
    manifest = scaled_object(TWO)
    manifest["spec"]["triggers"][0]["metadata"]["activationLagCount"] = "3"
    plain = Scalers(settings_of(manifest))
    assert not plain.look({"lag": 3, "pending": 0}, 1).active
    assert plain.look({"lag": 4, "pending": 0}, 1).active
    assert plain.look({"lag": 0, "pending": 1}, 1).active


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
def test_a_fallback_stands_for_some_pods(behavior: str, pods: int, held: int, formula: str | None) -> None:
    """Of the target that counts, here 5 everywhere."""
    failing = scalers(formula, replicas=3, failureThreshold=0, behavior=behavior)
    look = failing.look({"lag": Failed.ANSWERED, "pending": Failed.ANSWERED}, pods)
    assert values(look) == [held * 5] * len(look.metrics)
    assert (look.active, look.error, look.falling_back) == (True, False, True)


def test_beside_an_error_a_fallback_is_not_active() -> None:
    """The HPA gets its value all the same."""
    failing = scalers("lag + pending", replicas=3, failureThreshold=1)
    failing.look({"lag": Failed.ANSWERED, "pending": 0}, 1)
    look = failing.look({"lag": Failed.ANSWERED, "pending": Failed.ANSWERED}, 1)
    assert (look.active, look.error, look.falling_back, values(look)) == (False, True, True, [15])


def test_a_fallback_to_none_is_active_without_a_formula() -> None:
    """KEDA takes a trigger that falls back for active, whatever it stands for; a formula's value must be above zero."""
    failures = {"lag": Failed.ANSWERED, "pending": Failed.ANSWERED}
    assert scalers(None, replicas=0, failureThreshold=0).look(failures, 1).active
    assert not scalers("lag", replicas=0, failureThreshold=0).look(failures, 1).active


def test_nil_without_a_formula_is_minus_one() -> None:
    """KEDA has no other sign for it."""
    failing = scalers(None, replicas=3, failureThreshold=0, behavior="scalingModifiers")
    look = failing.look({"lag": Failed.ANSWERED, "pending": 2}, 1)
    assert (values(look), look.active, look.error) == ([-1, 2], True, False)


def test_a_formula_that_fails_is_no_error_of_a_trigger() -> None:
    """There is nothing that could be active, and nothing for the HPA; without a fallback nil is such a failure too."""
    for formula in ("lag % 2", "nil ?? nil", "lag > 0"):
        look = scalers(formula).look({"lag": 1, "pending": 2}, 1)
        assert (values(look), look.active, look.error) == ([None], False, False)


def test_a_trigger_that_is_not_read_has_failed() -> None:
    """Who reads must answer for all of them."""
    assert scalers("lag").look({"lag": 1}, 1).error


def test_metrics_are_whole_thousandths() -> None:
    """Cut off, not rounded; what has no end becomes the lowest number there is."""
    assert milli(0.2999) == 0.299
    assert milli(-0.2999) == -0.299
    assert milli(float("inf")) == milli(float("nan")) == LOWEST == -(2**63)
    assert values(scalers("lag / pending").look({"lag": 1, "pending": 3}, 1)) == [0.333]
    assert values(scalers("lag / pending").look({"lag": 1, "pending": 0}, 1)) == [LOWEST]
