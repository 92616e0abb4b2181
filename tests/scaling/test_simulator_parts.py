"""The parts of the simulator, where a whole run would hide their behaviour."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from scaled_objects import scaling

from penstock_scaling.simulator import HandlingTimes, Scenario
from penstock_scaling.simulator.backlog import Backlog
from penstock_scaling.simulator.due_counts import DueCounts
from penstock_scaling.simulator.pods import Pods, running_per_pod


class NoTraffic:
    """No traffic."""

    def arrivals(self, _: Random) -> Iterator[int]:
        return iter(())


def scenario(*, protect_busy: bool = False) -> Scenario:
    return Scenario(
        scaling(), NoTraffic(), HandlingTimes.fixed(1), concurrency=4, pod_start=10, protect_busy=protect_busy
    )


def random_of(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable randomness


def test_the_newest_starting_pods_are_removed_first() -> None:
    """Those that would be ready first stay."""
    pods = Pods(scenario(), ready=2)
    pods.start(0, 3)
    pods.start(5, 4)
    assert pods.stop(5) == 0
    assert pods.starting == {10: 2}
    assert pods.stop(5) == 3
    assert (pods.starting, pods.total) == ({}, 2)


def test_a_stopping_pod_runs_a_random_share() -> None:
    """Neither the oldest nor the newest messages: half of ten and ten, on average."""
    ends: Counter[int] = Counter()
    for seed in range(300):
        running = DueCounts()
        running.add(3, 10)
        running.add(7, 10)
        ends.update(running.pick(4, random_of(seed)))
        assert running.total == 16 == sum(running.at.values())
    assert ends.total() == 1200
    assert ends[3] == pytest.approx(600, abs=80)


def test_all_due_messages_can_be_picked() -> None:
    running = DueCounts()
    running.add(3, 2)
    running.add(1, 1)
    assert running.pick(3, random_of(1)) == [1, 3, 3]
    assert (running.total, running.pop(3)) == (0, 0)


def test_messages_are_on_random_slots() -> None:
    """No pod has more than its slots, and with protection the least busy stop first."""
    for seed in range(50):
        running = running_per_pod(scenario(), ready=5, running=11, stopping=5, random=random_of(seed))
        assert sum(running) == 11
        assert max(running) <= 4
        protected = running_per_pod(
            scenario(protect_busy=True), ready=5, running=11, stopping=5, random=random_of(seed)
        )
        assert protected == sorted(running)
    assert running_per_pod(scenario(), ready=3, running=12, stopping=2, random=random_of(1)) == [4, 4]


def test_messages_given_back_go_first_and_keep_their_wait() -> None:
    """Their first wait was counted at their first start."""
    backlog = Backlog()
    backlog.send(1, 2)
    backlog.give_back(4, 3)
    assert (backlog.waiting, backlog.oldest(9)) == (5, 8)
    backlog.take(9, 4)
    assert (backlog.waiting, backlog.waits) == (1, {8: 1})
    assert backlog.waits_until(11) == {8: 1, 10: 1}
    backlog.take(11, 1)
    assert backlog.oldest(20) == 0
