"""A plain word means what YAML 1.2 says it means, whoever else reads the file as YAML 1.1."""

import math

import pytest

from penstock_spec.reading import read
from penstock_spec.reading.scalars import Exactly, Scalar

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
    assert document.found == ()
    scalar: Scalar = document.data["a"]
    return scalar


@pytest.mark.parametrize("word", WORDS)
def test_what_only_looks_like_something_else_is_a_word(word: str) -> None:
    """`no` and `on` are no booleans, `12:30` is no number of minutes, a date is no date."""
    assert value(word) == word


@pytest.mark.parametrize("word", ["5", "true", "null", "0x1F", "1.30", "~", ""])
def test_what_is_quoted_is_text(word: str) -> None:
    """By either quote, and in a block."""
    assert value(f"'{word}'") == word
    assert value(f'"{word}"') == word
    assert read("spec.yaml", f"a: |-\n  {word}x\n".encode()).data == {"a": f"{word}x"}


@pytest.mark.parametrize(
    ("word", "number"),
    [("0", 0), ("-5", -5), ("+5", 5), ("010", 10), ("0o17", 15), ("0x1F", 31), ("0xff", 255), ("9" * 100, 10**100 - 1)],
)
def test_whole_numbers(word: str, number: int) -> None:
    """A leading zero means nothing; octal is `0o`."""
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
def test_fractions_remember_how_they_were_written(word: str, number: float) -> None:
    """A version `1.30` is not `1.3`."""
    read = value(word)
    assert read == number
    assert isinstance(read, Exactly)
    assert str(read) == word


def test_what_is_not_a_number_is_a_number_of_yaml() -> None:
    """`.nan` is read; that no field takes it is for the fields to say."""
    read = value(".NaN")
    assert isinstance(read, Exactly)
    assert math.isnan(read)


@pytest.mark.parametrize("word", ["~", "null", "Null", "NULL", ""])
def test_nothing(word: str) -> None:
    """Four ways to write it, and to write nothing."""
    assert value(word) is None


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "false", "False", "FALSE"])
def test_booleans(word: str) -> None:
    """Three ways to write each."""
    assert value(word) is (word.lower() == "true")


def test_a_number_beyond_all_fields_is_a_word() -> None:
    """Python would refuse to convert it, or take long."""
    assert value("9" * 5000) == "9" * 5000
