"""Everything that is known to go wrong with such a pipeline has a rule, and an example that shows it."""

import pytest

from penstock_spec.catalogue import catalogue
from penstock_spec.examples import load
from penstock_spec.kinds.pipeline.families import FAMILIES, Clause

CLAUSES = [pytest.param(one, id=f"{family.number}-{one.rules[0]}") for family in FAMILIES for one in family.clauses]


def test_no_family_is_missing() -> None:
    """One to eighteen, then what only shows when specs are looked at together."""
    assert [family.number for family in FAMILIES] == [*range(1, 19), 0]


def test_no_clause_of_a_family_is_missing() -> None:
    """As many things as the families are known to have."""
    counts = {family.number: len(family.clauses) for family in FAMILIES}
    assert counts == dict(
        zip([*range(1, 19), 0], [1, 1, 1, 1, 1, 2, 2, 2, 1, 4, 3, 5, 4, 5, 5, 1, 1, 2, 4], strict=True)
    )


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_is_found_by_a_rule_that_an_example_shows(clause: Clause) -> None:
    """The rule exists, and a spec that must fail stands beside it."""
    for name in clause.rules:
        assert load(catalogue()[name]).fails, name
