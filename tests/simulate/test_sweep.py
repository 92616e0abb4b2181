"""Searching a field's values for the cheapest that does."""

import pytest

from penstock_dev.simulating.sweep import AT_ONCE, MOST, Candidate, Range, Sweep, cheapest, read_sweep, try_all
from penstock_spec.findings import CannotGoOn


def works_from(least: int, most: int = 10**9) -> list[int]:
    """The values tried where those from `least` to `most` do, and each costs more the larger it is; best first."""

    def look(value: str) -> Candidate[int]:
        number = int(value)
        return Candidate(value, number, (float(number), 0.0) if least <= number <= most else None)

    tried = try_all(Range(1, 1000), look)
    best = cheapest(tried)
    return [*([best.result] if best else []), *(one.result for one in tried)]


@pytest.mark.parametrize("least", [1, 2, 17, 40, 137, 505, 999, 1000])
def test_the_cheapest_of_a_range_is_found_exactly(least: int) -> None:
    """In far fewer looks than there are values."""
    best, *tried = works_from(least)
    assert best == least
    assert len(tried) <= MOST
    assert tried == sorted(set(tried))


def test_where_nothing_does_no_closer_look_is_taken() -> None:
    assert len(works_from(2000)) == AT_ONCE


def test_both_ends_of_a_range_are_tried() -> None:
    tried = works_from(2000)
    assert (tried[0], tried[-1]) == (1, 1000)


def test_a_short_range_is_tried_whole() -> None:
    tried = try_all(Range(0, 5), lambda value: Candidate(value, None, None))
    assert [one.value for one in tried] == ["0", "1", "2", "3", "4", "5"]


def test_a_list_is_tried_as_it_stands() -> None:
    """In its order, and each value once."""
    tried = try_all(("16", "4", "16"), lambda value: Candidate(value, None, None))
    assert [one.value for one in tried] == ["16", "4"]


def test_of_two_that_cost_the_same_the_better_counts() -> None:
    tried = [Candidate("4", 0, (1.0, 30.0)), Candidate("8", 0, (1.0, 20.0)), Candidate("16", 0, None)]
    best = cheapest(tried)
    assert best is not None
    assert best.value == "8"


def test_a_range_that_begins_below_one_is_spread_too() -> None:
    tried = try_all(Range(-10, 1000), lambda value: Candidate(value, None, None))
    numbers = [int(one.value) for one in tried]
    assert (numbers[0], numbers[-1], len(numbers)) == (-10, 1000, AT_ONCE)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("scaling.backlog_per_replica=4..64", Range(4, 64)),
        ("scaling.cooldown=30s..10m", Range(30, 600, 1000)),
        ("scaling.cooldown=500ms..2s", Range(500, 2000, 1)),
        ("scaling.backlog_per_replica=4, 8,16", ("4", "8", "16")),
        ("scaling.boost=null", ("null",)),
    ],
)
def test_a_sweep_is_a_field_and_a_range_or_a_list(said: str, meant: object) -> None:
    assert read_sweep(said) == Sweep(said.partition("=")[0], meant)  # type: ignore[arg-type] # one of the two that there are


def test_times_are_told_as_specs_have_them() -> None:
    assert Range(30, 600, 1000).text(90) == "1m30s"


BAD = {
    "scaling.cooldown": ("`--sweep scaling.cooldown` has no values", "write `scaling.backlog_per_replica=4..64`"),
    "scaling.cooldown=, ": ("`--sweep scaling.cooldown=, ` has no values", "write `scaling.backlog_per_replica=4..64`"),
    "scaling.backlog_per_replika=4..8": (
        "`scaling.backlog_per_replika` is no field that may have several values",
        "did you mean `scaling.backlog_per_replica`?",
    ),
    "zzz=4..8": (
        "`zzz` is no field that may have several values",
        "name one such as `scaling.backlog_per_replica`",
    ),
    "name=a..b": ("`name` is no field that may have several values", "name one such as `scaling.backlog_per_replica`"),
    "scaling.cooldown=few..many": (
        "`--sweep scaling.cooldown=few..many` is no range of whole numbers or times",
        "write `4..64`, `30s..10m`, or a list such as `4,8,16`",
    ),
    "scaling.cooldown=..": (
        "`--sweep scaling.cooldown=..` is no range of whole numbers or times",
        "write `4..64`, `30s..10m`, or a list such as `4,8,16`",
    ),
    "scaling.replicas.max=9..3": ("`--sweep scaling.replicas.max=9..3` ends before it has begun", "write `3..9`"),
}


@pytest.mark.parametrize("said", BAD)
def test_what_is_no_sweep_is_refused(said: str) -> None:
    with pytest.raises(CannotGoOn) as refused:
        read_sweep(said)
    assert (refused.value.says, refused.value.hint) == BAD[said]
