"""Every example of every rule is run: failing ones report exactly their finding, passing ones report nothing."""

from collections.abc import Callable

import pytest
from _pytest.mark import ParameterSet

from penstock_spec.catalogue import catalogue
from penstock_spec.examples import Example, Failing, Passing, load
from penstock_spec.findings import Finding, Severity

Run = Callable[[Example], tuple[Finding, ...]]


def cases(which: str) -> list[ParameterSet]:
    """One case per example. If the examples cannot be read, the case is the error."""
    cases = []
    for name, rule in catalogue().items():
        try:
            examples: list[object] = list(getattr(load(rule), which))
        except (OSError, ValueError) as error:
            examples = [error]
        cases += [pytest.param(name, one, id=f"{name}-{number}") for number, one in enumerate(examples, 1)]
    return cases


@pytest.mark.parametrize(("name", "example"), cases("fails"))
def test_a_failing_example_has_exactly_the_finding_on_its_page(
    name: str, example: Failing | Exception, run: Run
) -> None:
    """The rule has one finding with this place, message, hint and environments; other rules only if listed."""
    if isinstance(example, Exception):
        raise example
    findings = run(example)

    reported = [
        {"at": str(one.at), "says": one.says, "hint": one.hint, "environments": list(one.environments)}
        for one in findings
        if one.rule == name
    ]
    expected = example.model_dump(include={"says", "hint", "environments"}) | {"at": example.place}
    assert reported == [expected]
    assert sorted({one.rule for one in findings} - {name}) == sorted(example.also)


@pytest.mark.parametrize(("name", "example"), cases("passes"))
def test_a_passing_example_has_no_findings(name: str, example: Passing | Exception, run: Run) -> None:
    """The rule reports nothing, and no other rule reports an error."""
    if isinstance(example, Exception):
        raise example
    findings = run(example)

    assert [str(one) for one in findings if one.rule == name or one.severity is Severity.ERROR] == []


@pytest.mark.parametrize("name", catalogue())
def test_no_example_is_repeated(name: str) -> None:
    """No example is in both lists or twice in one."""
    examples = load(catalogue()[name])
    every = [
        one.model_dump_json(exclude={"at", "says", "hint", "environments", "also"})
        for one in (*examples.fails, *examples.passes)
    ]
    assert len(set(every)) == len(every)
