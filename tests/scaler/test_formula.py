"""Formulas are analysed without running them, and malformed ones do no harm."""

import pytest

from penstock_spec.kinds.pipeline.scaler.formula import can_be_negative, names_in, tolerates_missing


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("max(0, depth - parked)", {"depth", "parked"}),
        ("max (0, a1) + _b", {"a1", "_b"}),
        ("a > 1e5 and not b ? 2 : nil", {"a", "b"}),
        ("\"word\" + 'other' + a.b", {"a"}),
        ("", set()),
    ],
)
def test_names_exclude_functions_and_keywords(formula: str, names: set[str]) -> None:
    assert names_in(formula) == names


@pytest.mark.parametrize(
    ("formula", "tolerates"),
    [("(a ?? 0) + b", True), ("a??0", True), ("(a ?? 0) + a", False), ("a + ab ?? 0", False), ("b", True)],
)
def test_every_use_of_a_trigger_must_tolerate_its_absence(formula: str, tolerates: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert tolerates_missing(formula, "a") is tolerates


@pytest.mark.parametrize(
    "formula",
    ["max(0, a - b)", "max(a - b, 1)", "abs(a - b)", "max(0, (a - (b + 1)) * 2) / 3", "1e-3 * a", "a + b", "a['b-c']"],
)
def test_a_clamped_formula_is_not_negative(formula: str) -> None:
    assert not can_be_negative(formula)


@pytest.mark.parametrize(
    "formula",
    ["a - b", "-a", "max(a, b - c)", "min(0, a - b)", "(a - b)", "max(0, a) - b", "max(-1, a - b)", "-max(0, a)"],
)
def test_an_unclamped_difference_can_be_negative(formula: str) -> None:
    assert can_be_negative(formula)


@pytest.mark.parametrize("formula", ["(" * 100_000, "a" * 100_000, "max(" * 50_000 + ")" * 50_000, ")(" * 1000])
def test_malformed_formulas_are_checked_quickly(formula: str) -> None:
    """Only the beginning of a formula is checked."""
    names_in(formula)
    can_be_negative(formula)
    tolerates_missing(formula, "a")
