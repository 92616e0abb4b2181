"""The specs of this repository meet their expectations, and every field of an expectation is simulated."""

from datetime import date
from pathlib import Path

import pytest

from penstock_dev.simulating.case import StartTimes, of_expectation
from penstock_dev.simulating.expectations import check_expectations
from penstock_dev.simulating.specs import ValidSpecs, read
from penstock_scaling.simulator import HandlingTimes
from penstock_scaling.traffic.patterns import Pattern
from penstock_spec.kinds.pipeline.expect import Expectation
from penstock_spec.repository import open_repository, read_inputs

SPECS = ("agent-queue", "browser-jobs", "jobs", "media-cluster", "tankpit-jobs")


@pytest.mark.parametrize("name", SPECS)
def test_each_spec_has_expectations_and_meets_them(root: Path, name: str) -> None:
    """At least in production, and in every environment that the expectations name."""
    inputs = read_inputs(open_repository((root / f"specs/{name}.yaml",), None, root))
    specs = read(inputs, (), date(2027, 1, 1))
    assert isinstance(specs, ValidSpecs)
    checked = {}
    for environment in specs.environments:
        subject = specs.subject(inputs.specs[0], environment)
        assert subject is not None
        checked[environment] = list(check_expectations(subject, 1))
    assert checked["production"]
    assert [one for each in checked.values() for one in each if one.broken] == []


@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("name", SPECS)
def test_expectations_hold_for_other_random_seeds(root: Path, name: str, seed: int) -> None:
    """The expectations do not hold by chance."""
    inputs = read_inputs(open_repository((root / f"specs/{name}.yaml",), None, root))
    specs = read(inputs, ("production",), date(2027, 1, 1))
    assert isinstance(specs, ValidSpecs)
    assert [one.broken for one in check_expectations(specs.one(), seed) if one.broken] == []


def test_every_field_of_an_expectation_is_simulated() -> None:
    one = Expectation.model_validate(
        {
            "name": "a day",
            "traffic": {"pattern": "day", "rate": 5, "lasts": "90500ms"},
            "handling": "2s",
            "handling_p99": "8s",
            "pod_start": "20s",
            "node_start": "2m",
            "node_pods": 4,
            "oldest_under": "1m",
        }
    )
    case = of_expectation(one, 7)
    assert case.traffic == Pattern("day", 5, 91)
    assert case.handling == HandlingTimes.spread(2, 8)
    assert case.starts == StartTimes(20, 120, 4)
    assert case.seed == 7
    assert str(case) == "daily curve with a peak of 5/s, for 1m31s"
