"""Every example of every rule is run: what must be told is told, word for word, and what is well is left alone."""

from collections.abc import Callable

import pytest
from _pytest.mark import ParameterSet

from penstock_spec.catalogue import catalogue
from penstock_spec.examples import Example, Failing, Passing, load
from penstock_spec.findings import Finding, Severity

Run = Callable[[Example], tuple[Finding, ...]]


def cases(which: str) -> list[ParameterSet]:
    """One for each example. Where there is none that can be read, one that fails."""
    cases = []
    for name, rule in catalogue().items():
        try:
            examples: list[object] = list(getattr(load(rule), which))
        except (OSError, ValueError) as error:
            examples = [error]
        cases += [pytest.param(name, one, id=f"{name}-{number}") for number, one in enumerate(examples, 1)]
    return cases


@pytest.mark.parametrize(("name", "example"), cases("fails"))
def test_a_failing_example_is_told_exactly_what_its_page_promises(
    name: str, example: Failing | Exception, run: Run
) -> None:
    """One finding of the rule, at the place, in the words and for the environments said; others only where said."""
    if isinstance(example, Exception):
        raise example
    findings = run(example)

    told = [
        {"at": str(one.at), "says": one.says, "hint": one.hint, "environments": list(one.environments)}
        for one in findings
        if one.rule == name
    ]
    promised = example.model_dump(include={"says", "hint", "environments"}) | {"at": example.place}
    assert told == [promised]
    assert sorted({one.rule for one in findings} - {name}) == sorted(example.also)


@pytest.mark.parametrize(("name", "example"), cases("passes"))
def test_a_passing_example_is_told_nothing(name: str, example: Passing | Exception, run: Run) -> None:
    """No finding of the rule, and no error of any other."""
    if isinstance(example, Exception):
        raise example
    findings = run(example)

    assert [str(one) for one in findings if one.rule == name or one.severity is Severity.ERROR] == []


@pytest.mark.parametrize("name", catalogue())
def test_what_passes_differs_from_what_fails(name: str) -> None:
    """No example is in both lists, and none stands twice."""
    examples = load(catalogue()[name])
    every = [
        one.model_dump_json(exclude={"at", "says", "hint", "environments", "also"})
        for one in (*examples.fails, *examples.passes)
    ]
    assert len(set(every)) == len(every)
