"""Formulas have the meaning that they have in KEDA, whose language is `expr`."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_scaling.formula import DEEPEST, LONGEST, parsed
from penstock_scaling.operators import FormulaError

READINGS: dict[str, float | None] = {"depth": 23.0, "parked": 3.0, "oldest": 31.0, "gone": None}


def value(formula: str) -> float | None:
    return parsed(formula).value(READINGS)


@pytest.mark.parametrize(
    ("formula", "result"),
    [
        ("max(0, depth - parked)", 20),
        ("max(0, parked - depth)", 0),
        ("(depth ?? 0) + (gone ?? 7)", 30),
        ("max(0, (depth ?? 0) - (parked ?? 0)) * ((oldest ?? 0) > 30 ? 2 : 1)", 40),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 2 - 3", 5),
        ("8 / 4 / 2", 1),
        ("7 / 2", 3.5),
        ("7 % 4 + -7 % 4", 0),
        ("2 ** 3 ** 2", 512),
        ("2 ^ 3", 8),
        ("-2 ** 2", -4),
        ("- depth + + parked", -20),
        (".5 + 1_000 + 1e2", 1100.5),
        ("1 + gone ?? 2", 3),
        ("gone ?? gone ?? 4", 4),
        ("gone == nil ? 1 : 0", 1),
        ("depth != nil && true ? 1 : 0", 1),
        ("depth == 23 ? 1 : 0", 1),
        ("1 == true ? 1 : 0", 0),
        ("not (depth > 30) and !(depth < 3) ? 1 : 0", 1),
        ("depth > 30 or depth >= 23 ? 1 : 0", 1),
        ("depth <= 22 || false ? 1 : 0", 0),
        ("false ? 1 : true ? 2 : 3", 2),
        ("true ? 1 : 1 / 0", 1),
        ("true or gone > 1 ? 1 : 0", 1),
        ("abs(-3) + ceil(1.2) + floor(1.8) + int(2.9) + float(1)", 9),
        ("round(2.5) + round(-2.5) + round(0.4)", 0),
        ("min(depth, parked, 5) + sum(1, 2) + mean(1, 2) + median(1, 5, 2)", 9.5),
        ("gone", None),
        ("depth > 30 ? 1 : gone", None),
    ],
)
def test_a_formula_has_its_value_in_keda(formula: str, result: float | None) -> None:
    """Precedence, associativity, nil, and operands that are not evaluated."""
    assert value(formula) == result


def test_division_by_zero_is_infinite() -> None:
    """`expr` divides floats; functions of infinity are infinite."""
    assert value("1 / 0") == math.inf
    assert value("ceil(-1 / 0)") == -math.inf
    assert math.isnan(value("0 / 0") or 0)
    assert math.isnan(value("(-8) ** 0.5") or 0)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("gone + 1", "`nil` is not a number"),
        ("gone > 1 ? 1 : 0", "`nil` is not a number"),
        ("depth > 1", "`true` is not a number"),
        ("true + 1", "`true` is not a number"),
        ("depth ? 1 : 0", "`23` is neither true nor false"),
        ("gone and true ? 1 : 0", "`nil` is neither true nor false"),
        ("depth % 2", "`%` needs whole numbers"),
        ("7 % 0", "`%` by zero"),
        ("other", "there is no trigger `other`"),
        ("int(1 / 0)", "infinity or NaN cannot become a whole number"),
        ("10 ** 400.0", "the numbers are too large"),
    ],
)
def test_a_formula_fails_as_in_keda(formula: str, says: str) -> None:
    """With the reason."""
    with pytest.raises(FormulaError) as caught:
        value(formula)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("max(0, depth", "it ends too early"),
        ("", "it ends too early"),
        ("depth parked", "`parked` is not expected there"),
        ("depth + * 2", "`*` is not expected there"),
        ("1 ? 2", "it ends too early"),
        ("1 ? 2 )", "`)` is not expected there"),
        ("max()", "`)` is not expected there"),
        ("or", "`or` is not expected there"),
        ("abs(1, 2)", "the function takes one number"),
        ("trim(1)", "the function `trim` is not supported"),
        ("depth; 1", "`; 1` is not valid"),
        ("depth ?? 0 + 1", "`??` and `+` need brackets"),
        ("(" * DEEPEST + "1" + ")" * DEEPEST, f"it is nested deeper than {DEEPEST}"),
        ("1" * (LONGEST + 1), f"it is longer than {LONGEST} characters"),
    ],
)
def test_an_invalid_formula_names_the_problem(formula: str, says: str) -> None:
    """In words that fit after `cannot parse the formula:`."""
    with pytest.raises(FormulaError) as caught:
        parsed(formula)
    assert str(caught.value).startswith(says)


def test_a_formula_knows_its_triggers() -> None:
    """Functions and keywords are not triggers."""
    assert parsed("max(0, (depth ?? nil)) > 1 and true ? parked : 0").names == {"depth", "parked"}


WORDS = st.sampled_from(
    ["1", "2.5", "depth", "gone", "max", "(", ")", ",", "+", "-", "*", "/", "%", "^", "**", "?", ":"]
)
MORE = st.sampled_from(
    ["??", "not", "!", "and", "||", "<", ">=", "==", "nil", "true", "abs", "int", " ", "=", "&", "9e9"]
)


@given(st.lists(WORDS | MORE, max_size=25).map(" ".join) | st.text(max_size=60))
def test_any_text_has_a_value_or_an_error(formula: str) -> None:
    """There is no other exception."""
    try:
        result: object = value(formula)
    except FormulaError as error:
        result = str(error)
    assert result is None or isinstance(result, float) or (isinstance(result, str) and result)
