"""`penstock test`, and its JUnit report."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from junitparser import JUnitXml

from penstock_dev.simulating.expectations import verdicts_of
from penstock_dev.simulating.junit import render
from penstock_dev.simulating.verdict import CheckedExpectation, Verdict, describe
from penstock_scaling.settings import Settings, Trigger
from penstock_scaling.simulator import HandlingTimes, Scenario, simulate
from penstock_scaling.traffic.patterns import Pattern
from penstock_spec.findings import Span
from penstock_spec.kinds.pipeline.expect import Expectation


class CommandResult(Protocol):
    code: int
    out: str
    err: str


Run = Callable[..., CommandResult]
EXPECT = """\
expect:
  - name: a burst is "harmless" & <quick>
    traffic: {pattern: burst, rate: 20, lasts: 10m}
    handling: 2s
    oldest_under: 1m
    environments: [production]
  - name: a burst needs few pods
    traffic: {pattern: burst, rate: 20, lasts: 10m}
    handling: 2s
    oldest_under: 20s
    replicas_at_most: 9
    environments: [production]
"""


@pytest.fixture
def expecting(repository: Path) -> Path:
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text() + EXPECT)
    return repository


def test_the_report_is_valid_junit(expecting: Path, penstock: Run) -> None:
    """A suite per spec and environment, a test case per expectation, and failures with the measured value."""
    result = penstock("test", "--junit", "report.xml")
    assert result.code == 1
    [suite] = JUnitXml.fromfile(str(expecting / "report.xml"))
    held, broken = suite
    assert (suite.name, suite.tests, suite.failures) == ("resize (production)", 2, 1)
    assert (held.name, held.classname, held.is_passed) == ('a burst is "harmless" & <quick>', "production.resize", True)
    assert held.system_out == "no message waits longer than 1m: the longest wait was 31s"
    [failure] = broken.result
    assert failure.message == "no message waits longer than 20s: the longest wait was 31s"
    assert failure.type == "oldest_under"
    assert failure.text.splitlines() == [
        "no message waits longer than 20s: the longest wait was 31s; broken at second 20 (0:00:20)",
        "at most 9 pods: there were up to 20; broken at second 30 (0:00:30)",
    ]


def test_the_same_specs_give_the_same_report(expecting: Path, penstock: Run) -> None:
    for name in ("one", "other"):
        penstock("test", "--junit", f"{name}.xml")
    assert (expecting / "one.xml").read_bytes() == (expecting / "other.xml").read_bytes()


def test_characters_that_xml_cannot_hold_are_escaped() -> None:
    one = CheckedExpectation("resize", "dev", "a \x00 and \U0001f600", Span("specs/resize.yaml", 3, 1, 3, 2), ())
    report = render([one])
    assert report.isascii()
    [suite] = JUnitXml.fromstring(report.encode())
    assert suite.tests == 1


@pytest.mark.usefixtures("expecting")
def test_one_environment_can_be_tested(penstock: Run) -> None:
    """Without expectations in it the command fails, as it would prove nothing."""
    assert penstock("test", "--env", "production").code == 1
    result = penstock("test", "--env", "dev")
    assert result.code == 2
    assert "there are no expectations here" in result.err


def test_the_exit_code_is_0_if_all_hold(expecting: Path, penstock: Run) -> None:
    path = expecting / "specs/resize.yaml"
    path.write_text(
        path.read_text().replace("oldest_under: 20s", "oldest_under: 40s").replace("    replicas_at_most: 9\n", "")
    )
    result = penstock("test")
    assert result.code == 0
    assert result.out.endswith("2 expectations, all held\n")


def test_a_wait_equal_to_the_target_meets_it() -> None:
    """With a longest wait of 7 s, a target of 7 s holds and one of 6 s is broken."""
    depth = Settings((Trigger("depth", 5, reads="length"),), min=1, max=1)
    scenario = Scenario(depth, Pattern("steady", 8, 1), HandlingTimes.fixed(1), concurrency=1)
    run = simulate(scenario, 1)
    assert run.summary.waited(1) == 7
    for seconds, held in ((7, True), (6.5, True), (6, False), (0.5, False)):
        expectation = Expectation.model_validate(
            {
                "name": "soon",
                "traffic": {"pattern": "steady", "rate": 8, "lasts": "1s"},
                "oldest_under": f"{seconds}s",
            }
        )
        [verdict] = verdicts_of(expectation, run)
        assert (verdict.broken_at is None) == held


def test_a_verdict_names_the_second() -> None:
    verdict = Verdict("oldest_under", "no message waits longer than 1m", "the longest wait was 2h", 3723)
    assert describe(verdict) == (
        "no message waits longer than 1m: the longest wait was 2h; broken at second 3723 (1:02:03)"
    )
