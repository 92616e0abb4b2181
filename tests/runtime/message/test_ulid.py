"""ULIDs are unique, ordered, and contain their time."""

import threading
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.message.ulid import Ulids, is_ulid, time_of, wall_clock

MOMENTS = st.integers(0, 2**48 - 1)
RANDOM = st.binary(min_size=10, max_size=10)


@given(st.lists(MOMENTS, min_size=1, max_size=50), RANDOM)
def test_ulids_always_increase(times: list[int], random: bytes) -> None:
    """This holds even if the clock stops or goes back, and if the random part overflows."""
    clock = iter(times)
    make = Ulids(lambda: next(clock), lambda count: random[:count])
    made = [make() for _ in times]
    assert all(one < other for one, other in pairwise(made))
    assert all(map(is_ulid, made))


@given(MOMENTS, RANDOM)
def test_a_ulid_contains_time_and_random_part(moment: int, random: bytes) -> None:
    ulid = Ulids(lambda: moment, lambda _count: random)()
    assert time_of(ulid) == moment
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    number = 0
    for character in ulid:
        number = number * 32 + alphabet.index(character)
    assert number == moment << 80 | int.from_bytes(random)


def test_an_overflow_of_the_random_part_uses_the_next_millisecond() -> None:
    make = Ulids(lambda: 5, lambda count: b"\xff" * count)
    first, second = make(), make()
    assert (time_of(first), time_of(second)) == (5, 6)
    assert first < second


def test_an_increment_carries_over() -> None:
    make = Ulids(lambda: 5, lambda _count: b"\0\0\0\0\0\0\0\x0f\xff\xff")
    assert [make()[-6:], make()[-6:]] == ["00ZZZZ", "010000"]


def test_threads_that_share_a_generator_get_different_ulids() -> None:
    make = Ulids()
    made: list[str] = []

    def several() -> None:
        made.extend([make() for _ in range(2000)])

    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8000


def test_the_default_clock_is_the_wall_clock() -> None:
    before = wall_clock()
    made = time_of(Ulids()())
    assert before <= made <= wall_clock()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01ARZ3NDEKTSV4RRFFQ69G5FA",
        "01ARZ3NDEKTSV4RRFFQ69G5FAVV",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV",
        "01arz3ndektsv4rrffq69g5fav",
        "01ARZ3NDEKTSV4RRFFQ69G5FAU",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV\n",
        "\u06601ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_an_invalid_ulid_is_recognized(text: str) -> None:
    assert not is_ulid(text)
    with pytest.raises(ValueError, match="not a ULID"):
        time_of(text)
