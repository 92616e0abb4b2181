"""Every known misconfiguration has a spec that shows it and a rule that finds it."""

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
SHOWN = [
    pytest.param(one, id=f"{name}-{family.number}-{one.rule}-{one.example}")
    for name, kind in kinds().items()
    for family in families_of(kind)
    for mistake in family.mistakes
    for one in mistake.examples
]


def test_no_family_is_missing() -> None:
    """One to the last, then what only shows when specs are looked at together."""
    numbers = {name: [family.number for family in families_of(kind)] for name, kind in kinds().items()}
    assert numbers == {"pipeline": [*range(1, 19), 0], "scheduler": [*range(1, 7), 0]}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_clause_is_shown_by_a_spec_of_its_own(family: Family) -> None:
    """No clause is without a spec, and none leans on the spec of another in its family."""
    assert all(mistake.examples for mistake in family.mistakes)
    shown = [one for mistake in family.mistakes for one in mistake.examples]
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize("shown", SHOWN)
def test_the_spec_that_shows_a_clause_is_told_about_it(shown: ExampleReference) -> None:
    """Linted as `penstock lint` would, by the rule that the clause names."""
    example = load(catalogue()[shown.rule]).fails[shown.example - 1]
    report = findings_text(shown.rule, example)
    assert f"[{shown.rule}]" in report
    assert example.says in report
