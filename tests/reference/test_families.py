"""Every known mistake has an example spec, and a rule reports it."""

import pytest

from penstock_spec.catalogue import catalogue
from penstock_spec.examples import load
from penstock_spec.kinds import kinds
from penstock_spec.kinds.family import ExampleReference, Family
from penstock_spec.reference.families import families_of
from penstock_spec.reference.run import findings_text

FAMILIES = [
    pytest.param(family, id=f"{name}-{family.number}") for name, kind in kinds().items() for family in families_of(kind)
]
REFERENCES = [
    pytest.param(one, id=f"{name}-{family.number}-{one.rule}-{one.example}")
    for name, kind in kinds().items()
    for family in families_of(kind)
    for mistake in family.mistakes
    for one in mistake.examples
]


def test_no_family_is_missing() -> None:
    """They are numbered from 1; family 0 has the mistakes across specs."""
    numbers = {name: [family.number for family in families_of(kind)] for name, kind in kinds().items()}
    assert numbers == {"pipeline": [*range(1, 19), 0], "scheduler": [*range(1, 7), 0]}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_mistake_has_its_own_example(family: Family) -> None:
    """Two mistakes of a family do not share an example."""
    assert all(mistake.examples for mistake in family.mistakes)
    examples = [one for mistake in family.mistakes for one in mistake.examples]
    assert len(set(examples)) == len(examples)


@pytest.mark.parametrize("reference", REFERENCES)
def test_lint_reports_each_example_of_a_mistake(reference: ExampleReference) -> None:
    """By the rule that the family names."""
    example = load(catalogue()[reference.rule]).fails[reference.example - 1]
    report = findings_text(reference.rule, example)
    assert f"[{reference.rule}]" in report
    assert example.says in report
