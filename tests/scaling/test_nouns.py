"""The simulator's nouns, where a run would hide what they do."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from scaled import scaling

from penstock_scaling.simulator import Handling, Scenario
from penstock_scaling.simulator.backlog import Backlog
from penstock_scaling.simulator.due_counts import DueCounts
from penstock_scaling.simulator.pods import Pods, loads


class Nothing:
    """No traffic."""

    def arrivals(self, _: Random) -> Iterator[int]:
        return iter(())


def scenario(*, protect_busy: bool = False) -> Scenario:
    return Scenario(scaling(), Nothing(), Handling.fixed(1), concurrency=4, pod_start=10, protect_busy=protect_busy)


def chance(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - chance that can be repeated


def test_of_the_pods_that_start_the_newest_go_first() -> None:
    """Those that were to be ready first stay."""
    pods = Pods(scenario(), ready=2)
    pods.start(0, 3)
    pods.start(5, 4)
    assert pods.stop(5) == 0
    assert pods.starting == {10: 2}
    assert pods.stop(5) == 3
    assert (pods.starting, pods.there) == ({}, 2)


def test_what_a_leaving_pod_runs_is_any_of_what_runs() -> None:
    """Not the oldest, nor the newest: half of ten and ten, on the whole."""
    ends: Counter[int] = Counter()
    for seed in range(300):
        running = DueCounts()
        running.add(3, 10)
        running.add(7, 10)
        ends.update(running.pick(4, chance(seed)))
        assert running.total == 16 == sum(running.at.values())
    assert ends.total() == 1200
    assert ends[3] == pytest.approx(600, abs=80)


def test_all_that_runs_can_be_picked() -> None:
    """Then nothing is left."""
    running = DueCounts()
    running.add(3, 2)
    running.add(1, 1)
    assert running.pick(3, chance(1)) == [1, 3, 3]
    assert (running.total, running.pop(3)) == (0, 0)


def test_work_lies_on_any_slots() -> None:
    """No pod has more than its slots, and with protection those with the least go first."""
    for seed in range(50):
        on = loads(scenario(), ready=5, running=11, leaving=5, random=chance(seed))
        assert sum(on) == 11
        assert max(on) <= 4
        protected = loads(scenario(protect_busy=True), ready=5, running=11, leaving=5, random=chance(seed))
        assert protected == sorted(on)
    assert loads(scenario(), ready=3, running=12, leaving=2, random=chance(1)) == [4, 4]


def test_what_was_given_back_goes_first_and_has_waited_before() -> None:
    """Its first wait was counted when it was started first."""
    backlog = Backlog()
    backlog.send(1, 2)
    backlog.give_back(4, 3)
    assert (backlog.waiting, backlog.oldest(9)) == (5, 8)
    backlog.take(9, 4)
    assert (backlog.waiting, backlog.waits) == (1, {8: 1})
    assert backlog.still(11) == {8: 1, 10: 1}
    backlog.take(11, 1)
    assert backlog.oldest(20) == 0
