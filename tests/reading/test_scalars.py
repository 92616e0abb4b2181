"""Plain words have their values of YAML 1.2, not of YAML 1.1."""

import math

import pytest

from penstock_spec.reading import read
from penstock_spec.reading.scalars import ExactFloat, Scalar

WORDS = [
    "no",
    "No",
    "on",
    "off",
    "yes",
    "y",
    "n",
    "12:30",
    "1:2:3",
    "1_000",
    "0b11",
    "0x",
    "0o8",
    "0x1G",
    "-0x1",
    "1e",
    ".",
]
WORDS += ["..", "+", "1.2.3", "2027-01-31", "30s", "tRUE", "nULL", "inf", "nan", ".Nan", "-.nan", "1,5", "é"]


def value(word: str) -> Scalar:
    document = read("spec.yaml", f"a: {word}\n".encode())
    assert document.problems == ()
    scalar: Scalar = document.data["a"]
    return scalar


@pytest.mark.parametrize("word", WORDS)
def test_yaml_1_1_values_are_text(word: str) -> None:
    """`no` and `on` are not booleans, `12:30` is not a number, a date is text."""
    assert value(word) == word


@pytest.mark.parametrize("word", ["5", "true", "null", "0x1F", "1.30", "~", ""])
def test_quoted_values_are_text(word: str) -> None:
    """In single or double quotes, and in blocks."""
    assert value(f"'{word}'") == word
    assert value(f'"{word}"') == word
    assert read("spec.yaml", f"a: |-\n  {word}x\n".encode()).data == {"a": f"{word}x"}


@pytest.mark.parametrize(
    ("word", "number"),
    [("0", 0), ("-5", -5), ("+5", 5), ("010", 10), ("0o17", 15), ("0x1F", 31), ("0xff", 255), ("9" * 100, 10**100 - 1)],
)
def test_integers_are_read_as_in_yaml_1_2(word: str, number: int) -> None:
    """A leading zero has no meaning; octal numbers begin with `0o`."""
    read = value(word)
    assert read == number
    assert type(read) is int


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1E-2", 0.01),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.5", -0.5),
        ("1.30", 1.3),
        (".inf", math.inf),
    ],
)
def test_fractions_keep_their_text(word: str, number: float) -> None:
    """The version `1.30` is not `1.3`."""
    read = value(word)
    assert read == number
    assert isinstance(read, ExactFloat)
    assert str(read) == word


def test_nan_and_infinity_are_numbers() -> None:
    """`.nan` can be read; fields refuse it."""
    read = value(".NaN")
    assert isinstance(read, ExactFloat)
    assert math.isnan(read)


@pytest.mark.parametrize("word", ["~", "null", "Null", "NULL", ""])
def test_null_has_four_spellings(word: str) -> None:
    """An empty value is null too."""
    assert value(word) is None


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "false", "False", "FALSE"])
def test_booleans_have_three_spellings(word: str) -> None:
    """Each of `true` and `false`."""
    assert value(word) is (word.lower() == "true")


def test_a_huge_number_is_text() -> None:
    """Python would refuse to convert it, or take long."""
    assert value("9" * 5000) == "9" * 5000
