"""The search for the cheapest value that meets the target."""

import pytest

from penstock_dev.simulating.sweep import MAX_VALUES, POINTS, Candidate, Range, Sweep, cheapest, read_sweep, try_all
from penstock_spec.findings import CannotGoOn


def works_from(least: int, most: int = 10**9) -> list[int]:
    """The values tried, cheapest first, if those from `least` to `most` meet the target and larger ones cost more."""

    def evaluate(value: str) -> Candidate[int]:
        number = int(value)
        return Candidate(value, number, (float(number), 0.0) if least <= number <= most else None)

    tried = try_all(Range(1, 1000), evaluate)
    best = cheapest(tried)
    return [*([best.result] if best else []), *(one.result for one in tried)]


@pytest.mark.parametrize("least", [1, 2, 17, 40, 137, 505, 999, 1000])
def test_the_cheapest_value_of_a_range_is_found(least: int) -> None:
    """With far fewer simulations than values."""
    best, *tried = works_from(least)
    assert best == least
    assert len(tried) <= MAX_VALUES
    assert tried == sorted(set(tried))


def test_the_search_stops_if_no_value_meets_the_target() -> None:
    assert len(works_from(2000)) == POINTS


def test_both_ends_of_a_range_are_tried() -> None:
    tried = works_from(2000)
    assert (tried[0], tried[-1]) == (1, 1000)


def test_a_short_range_is_tried_completely() -> None:
    tried = try_all(Range(0, 5), lambda value: Candidate(value, None, None))
    assert [one.value for one in tried] == ["0", "1", "2", "3", "4", "5"]


def test_a_list_is_tried_in_its_order() -> None:
    """Each value once."""
    tried = try_all(("16", "4", "16"), lambda value: Candidate(value, None, None))
    assert [one.value for one in tried] == ["16", "4"]


def test_the_better_of_two_equal_costs_wins() -> None:
    tried = [Candidate("4", 0, (1.0, 30.0)), Candidate("8", 0, (1.0, 20.0)), Candidate("16", 0, None)]
    best = cheapest(tried)
    assert best is not None
    assert best.value == "8"


def test_a_range_may_start_below_one() -> None:
    tried = try_all(Range(-10, 1000), lambda value: Candidate(value, None, None))
    numbers = [int(one.value) for one in tried]
    assert (numbers[0], numbers[-1], len(numbers)) == (-10, 1000, POINTS)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("scaling.backlog_per_replica=4..64", Range(4, 64)),
        ("scaling.cooldown=30s..10m", Range(30, 600, 1000)),
        ("scaling.cooldown=500ms..2s", Range(500, 2000, 1)),
        ("scaling.backlog_per_replica=4, 8,16", ("4", "8", "16")),
        ("scaling.boost=null", ("null",)),
    ],
)
def test_a_sweep_is_a_field_with_a_range_or_a_list(text: str, values: object) -> None:
    assert read_sweep(text) == Sweep(text.partition("=")[0], values)  # type: ignore[arg-type] # a range or a tuple


def test_times_are_written_as_in_specs() -> None:
    assert Range(30, 600, 1000).text(90) == "1m30s"


BAD = {
    "scaling.cooldown": ("`--sweep scaling.cooldown` has no values", "write `scaling.backlog_per_replica=4..64`"),
    "scaling.cooldown=, ": ("`--sweep scaling.cooldown=, ` has no values", "write `scaling.backlog_per_replica=4..64`"),
    "scaling.backlog_per_replika=4..8": (
        "`scaling.backlog_per_replika` is not a field that can be swept",
        "did you mean `scaling.backlog_per_replica`?",
    ),
    "zzz=4..8": (
        "`zzz` is not a field that can be swept",
        "name a field such as `scaling.backlog_per_replica`",
    ),
    "name=a..b": ("`name` is not a field that can be swept", "name a field such as `scaling.backlog_per_replica`"),
    "scaling.cooldown=few..many": (
        "`--sweep scaling.cooldown=few..many` is not a range of whole numbers or times",
        "write `4..64`, `30s..10m`, or a list such as `4,8,16`",
    ),
    "scaling.cooldown=..": (
        "`--sweep scaling.cooldown=..` is not a range of whole numbers or times",
        "write `4..64`, `30s..10m`, or a list such as `4,8,16`",
    ),
    "scaling.replicas.max=9..3": ("`--sweep scaling.replicas.max=9..3` ends before it starts", "write `3..9`"),
}


@pytest.mark.parametrize("text", BAD)
def test_an_invalid_sweep_is_refused(text: str) -> None:
    with pytest.raises(CannotGoOn) as refused:
        read_sweep(text)
    assert (refused.value.says, refused.value.hint) == BAD[text]
