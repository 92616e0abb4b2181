"""A formula is understood without being run, and a strange one does no harm."""

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
def test_names_are_triggers_and_neither_functions_nor_words(formula: str, names: set[str]) -> None:
    assert names_in(formula) == names


@pytest.mark.parametrize(
    ("formula", "bears"),
    [("(a ?? 0) + b", True), ("a??0", True), ("(a ?? 0) + a", False), ("a + ab ?? 0", False), ("b", True)],
)
def test_absence_is_borne_only_where_every_use_says_so(formula: str, bears: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert tolerates_missing(formula, "a") is bears


@pytest.mark.parametrize(
    "formula",
    ["max(0, a - b)", "max(a - b, 1)", "abs(a - b)", "max(0, (a - (b + 1)) * 2) / 3", "1e-3 * a", "a + b", "a['b-c']"],
)
def test_what_is_clamped_is_not_negative(formula: str) -> None:
    assert not can_be_negative(formula)


@pytest.mark.parametrize(
    "formula",
    ["a - b", "-a", "max(a, b - c)", "min(0, a - b)", "(a - b)", "max(0, a) - b", "max(-1, a - b)", "-max(0, a)"],
)
def test_what_is_not_clamped_can_be_negative(formula: str) -> None:
    assert can_be_negative(formula)


@pytest.mark.parametrize("formula", ["(" * 100_000, "a" * 100_000, "max(" * 50_000 + ")" * 50_000, ")(" * 1000])
def test_a_formula_that_is_none_ends_soon(formula: str) -> None:
    """Only its beginning is looked at."""
    names_in(formula)
    can_be_negative(formula)
    tolerates_missing(formula, "a")
