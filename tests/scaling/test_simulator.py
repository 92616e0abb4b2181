"""The simulator is correct: small cases by hand, sums that must match, and laws of queueing."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scaled_objects import scaled_object, scaling

from penstock_scaling import settings_of
from penstock_scaling.simulator import HandlingTimes, Outage, Scenario, SimulationRun, simulate
from penstock_spec.findings import CannotGoOn


@dataclass(frozen=True)
class Counts:
    """Messages in each second, as given."""

    counts: tuple[int, ...]

    def arrivals(self, _: Random) -> Iterator[int]:
        return iter(self.counts)


@dataclass(frozen=True)
class RandomArrivals:
    """Random arrivals at a rate."""

    rate: float
    lasts: int

    def arrivals(self, random: Random) -> Iterator[int]:
        spread = self.rate**0.5
        return (max(0, round(random.gauss(self.rate, spread))) for _ in range(self.lasts))


def scenario_of(*counts: int, handling: float = 2, pods: int = 1, concurrency: int = 1, **more: Any) -> Scenario:  # noqa: ANN401 - any field
    """One permanent pod by default."""
    plain = Scenario(
        settings=scaling(minReplicaCount=pods, maxReplicaCount=pods),
        traffic=Counts(counts),
        handling=HandlingTimes.fixed(handling),
        concurrency=concurrency,
    )
    return replace(plain, **more)


def column(run: SimulationRun, name: str, until: int) -> list[int]:
    return list(getattr(run.series, name))[:until]


def test_one_pod_one_slot_three_messages() -> None:
    """Two seconds each: they start at 0, 2 and 4, and so wait 0, 2 and 4."""
    run = simulate(scenario_of(3), seed=1)

    assert column(run, "waiting", 7) == [2, 2, 1, 1, 0, 0, 0]
    assert column(run, "running", 7) == [1, 1, 1, 1, 1, 1, 0]
    assert column(run, "done", 7) == [0, 0, 1, 1, 2, 2, 3]
    assert column(run, "oldest", 7) == [0, 1, 2, 3, 0, 0, 0]
    assert run.summary.waits == {0: 1, 2: 1, 4: 1}
    assert [run.summary.waited(share) for share in (0.3, 0.5, 0.9, 1)] == [0, 2, 4, 4]
    assert run.summary.back_at_min == 6


def test_the_slots_of_all_pods_are_shared() -> None:
    """Two pods with two slots: four at once, the fifth a second later."""
    run = simulate(scenario_of(5, handling=1, pods=2, concurrency=2), seed=1)
    assert run.summary.waits == {0: 4, 1: 1}
    assert column(run, "running", 3) == [4, 1, 0]


def test_short_messages_fill_a_second() -> None:
    """A slot handles four messages of 0.25 s per second."""
    run = simulate(scenario_of(400, handling=0.25), seed=1)
    assert run.summary.done == 400
    assert run.summary.waited(1) == pytest.approx(100, abs=3)
    assert run.summary.waited(0.5) == pytest.approx(50, abs=3)


def test_fractional_times_keep_their_mean() -> None:
    """A slot handles two messages of 1.5 s in three seconds."""
    run = simulate(scenario_of(400, handling=1.5), seed=1)
    assert run.summary.waited(1) == pytest.approx(600, abs=15)


def test_messages_without_duration_are_done_at_once() -> None:
    """All of them in the second of their arrival."""
    run = simulate(scenario_of(1000, handling=0), seed=1)
    assert run.summary.waits == {0: 1000}
    assert column(run, "done", 1) == [1000]


def test_the_first_pod_needs_a_poll_and_its_start_time() -> None:
    """A message at 3: the poll at 10 sees it, the pod is ready at 10 + 7, and the message has waited 14."""
    scaled = scaling(poll=10, cooldown=60)
    run = simulate(replace(scenario_of(0, 0, 0, 1), settings=scaled, pod_start=7), seed=1)

    assert run.summary.waits == {14: 1}
    assert [(one.at, one.before, one.after) for one in run.decisions] == [(10, 0, 1), (70, 1, 0)]
    assert run.series.ready[16:18].tolist() == [0, 1]
    # Done at 19, so 10 was the last active poll; stopped at 70, gone at 71.
    assert run.summary.pod_hours == pytest.approx((71 - 10) / 3600)
    assert run.summary.back_at_min == 71 - 3


def test_pods_beyond_the_nodes_wait_for_a_new_node() -> None:
    """Two fit. KEDA starts one at 0, the HPA four at 15 and five at 30; a new node holds two more."""
    scaled = scaling(poll=10, cooldown=600)
    plain = replace(scenario_of(25, handling=500), settings=scaled, pod_start=5, node_start=60)
    run = simulate(replace(plain, node_pods=2), seed=1)
    # At 15 one fits: 20. Two wait for their node: 80. At 30 four are on two nodes: the fifth waits as well, until 95.
    ready = [(at, count) for at, count in enumerate(run.series.ready) if count != run.series.ready[max(0, at - 1)]]
    assert ready[:4] == [(5, 1), (20, 2), (80, 4), (95, 5)]
    without = simulate(plain, seed=1)
    assert max(at for at, count in enumerate(without.series.ready) if count < 5 and at < 400) == 34


def test_pods_that_are_not_ready_are_stopped_first() -> None:
    """Five are wanted at 15 and take long to start. At 40 one message is left: four pods go, but not the busy one."""
    scaled = scaling(minReplicaCount=1, behavior={"scaleDown": {"stabilizationWindowSeconds": 0}})
    counts = [24] + [0] * 34 + [1]
    run = simulate(replace(scenario_of(*counts, handling=40, concurrency=25), settings=scaled, pod_start=1000), seed=1)
    assert [(one.at, one.after) for one in run.decisions] == [(15, 5), (45, 1)]
    assert run.series.running[45] == 1
    assert run.summary.busy_pods_stopped == 0
    assert set(run.series.ready) == {1}


@pytest.mark.parametrize(("grace", "done_by_leaving", "returned"), [(90, 1, 0), (55, 1, 0), (30, 0, 1)])
def test_a_stopping_pod_finishes_or_gives_back(grace: int, done_by_leaving: int, returned: int) -> None:
    """Two pods, one message each of 60 s; at 15 the maximum of one stops one, which has grace - 10 s."""
    scaled = scaling(minReplicaCount=1, maxReplicaCount=1)
    run = simulate(replace(scenario_of(2, handling=60), settings=scaled, replicas=2, grace=grace), seed=1)

    summary = run.summary
    assert (summary.busy_pods_stopped, summary.given_back) == (1, returned)
    assert summary.done == 2
    gone = next(at for at, pods in enumerate(run.series.pods) if pods == 1)
    if done_by_leaving:
        assert gone == 60
        assert run.series.done[60] == 2
    else:
        # Given back at 15 + 20; the other pod is free at 60 and ends it at 120. Its first wait was none.
        assert gone == 35
        assert run.series.waiting[34:36].tolist() == [0, 1]
        assert run.series.done[119:121].tolist() == [1, 2]
        assert summary.waits == {0: 2}


def test_protected_busy_pods_are_not_stopped() -> None:
    """Ten pods, one of them busy; five must stop. Without protection the busy one is stopped half of the time."""
    scaled = scaling(minReplicaCount=5, maxReplicaCount=5)
    plain = replace(scenario_of(1, handling=600), settings=scaled, replicas=10, concurrency=4, grace=10_000)
    hit = [simulate(plain, seed).summary.busy_pods_stopped for seed in range(60)]
    assert 15 <= sum(hit) <= 45
    assert [simulate(replace(plain, protect_busy=True), seed).summary.busy_pods_stopped for seed in range(5)] == [0] * 5


def test_messages_of_lost_workers_are_taken_over_after_the_lease() -> None:
    """Lost at 10, back at 20; the lease expires at 40. A message of 15 starts earlier, at 20."""
    counts = [1] + [0] * 14 + [1]
    plain = scenario_of(*counts, handling=60, concurrency=2, outages=(Outage("workers", 10, 10),))
    run = simulate(plain, seed=1)

    assert run.summary.taken_over == 1
    assert run.summary.waits == {0: 1, 5: 1}
    assert run.series.running[9:21].tolist() == [1] * 11 + [2]
    assert run.series.done[79:81].tolist() == [0, 1]
    assert run.series.done[99:101].tolist() == [1, 2]


def test_without_redis_producers_and_outcomes_wait() -> None:
    """Down from 5 to 20: what finished at 6 is done at 20, what was sent at 7 arrives at 20."""
    counts = [0] * 4 + [1, 0, 0, 3]
    run = simulate(scenario_of(*counts, outages=(Outage("redis", 5, 15),)), seed=1)

    assert run.series.sent[19:21].tolist() == [1, 4]
    assert run.series.done[19:21].tolist() == [0, 1]
    assert run.summary.waits == {0: 2, 2: 1, 4: 1}


def test_idle_pods_stop_at_once_after_an_outage_of_redis() -> None:
    """The cooldown runs since the last active poll, and the outage has used it up."""
    counts = [5] * 60 + [0] * 140
    scaled = scaling(poll=10, cooldown=60)
    plain = replace(
        scenario_of(*counts), settings=scaled, concurrency=20, pod_start=1, outages=(Outage("redis", 55, 100),)
    )
    run = simulate(plain, seed=1)
    away = [one for one in run.decisions if 55 <= one.at < 155]
    assert away == []
    assert run.series.wanted[154] > 0
    assert run.series.done[155] > 0


def test_a_length_that_includes_history_keeps_the_pods() -> None:
    """XLEN of a stream that keeps finished messages only grows."""
    scaled = scaling(poll=10, cooldown=60)
    kept = simulate(replace(scenario_of(1), settings=scaled, keeps_history=True), seed=1)
    assert kept.summary.back_at_min is None
    assert kept.summary.lasted == 1 + 3600
    assert simulate(replace(scenario_of(1), settings=scaled), seed=1).summary.back_at_min is not None


def test_lag_ignores_messages_in_progress() -> None:
    """With lag alone a busy pod is removed; with lag and pending it is not."""
    triggers = {"lag": "lag", "pending": "pending"}
    spec = {"pollingInterval": 10, "cooldownPeriod": 60}
    lag_alone = settings_of(scaled_object(triggers, spec, "lag"))
    counts = settings_of(scaled_object(triggers, spec, "lag + pending"))
    plain = replace(scenario_of(1, handling=500), pod_start=1)
    assert simulate(replace(plain, settings=lag_alone), seed=1).summary.busy_pods_stopped > 0
    assert simulate(replace(plain, settings=counts), seed=1).summary.busy_pods_stopped == 0


def test_age_triggers_a_boost() -> None:
    """A third trigger reads the age of the oldest waiting message."""
    triggers = {"depth": "length", "parked": "list", "oldest": "http"}
    formula = "max(0, depth - parked) * (oldest > 30 ? 2 : 1)"
    scaled = settings_of(scaled_object(triggers, {"pollingInterval": 10, "minReplicaCount": 1}, formula))
    run = simulate(replace(scenario_of(20, handling=1000), settings=scaled), seed=1)
    # 20 / 5 = 4 at 15; older than 30 from 31 on: 40 / 5 = 8 at 45.
    assert [(one.at, one.after) for one in run.decisions][:2] == [(15, 4), (45, 8)]


def test_time_above_the_target_age_is_counted() -> None:
    """The third message is older than two seconds only in second 3."""
    assert simulate(scenario_of(3, target_age=2), seed=1).summary.over_target == 1
    assert simulate(scenario_of(3), seed=1).summary.over_target == 0


def test_messages_that_never_start_count_with_their_wait() -> None:
    """Otherwise a pipeline that falls behind would look good."""
    run = simulate(scenario_of(3, handling=100, after=20), seed=1)
    assert run.summary.waits == {0: 1, 21: 2}
    assert run.summary.back_at_min is None


def test_an_unsupported_trigger_is_refused() -> None:
    """Unless the formula ignores it."""
    manifest = scaled_object(formula="depth + noon")
    manifest["spec"]["triggers"].append({"name": "noon", "type": "cron", "metadata": {}})
    with pytest.raises(CannotGoOn) as caught:
        simulate(replace(scenario_of(1), settings=settings_of(manifest)), seed=1)
    assert caught.value.says == "the trigger `noon` cannot be simulated"
    assert caught.value.hint == "simulate with triggers on the stream, its parked messages and the age of the oldest"
    manifest["spec"]["advanced"]["scalingModifiers"]["formula"] = "depth"
    assert simulate(replace(scenario_of(1), settings=settings_of(manifest)), seed=1).summary.done == 1


HANDLINGS = st.sampled_from([
    HandlingTimes.fixed(0.05), HandlingTimes.fixed(1), HandlingTimes.fixed(2.5), HandlingTimes.fixed(40),
    HandlingTimes.spread(0.5, 20), HandlingTimes.sample([0.1, 0.1, 3, 90]),
])  # fmt: skip
OUTAGES = st.lists(
    st.builds(Outage, st.sampled_from(["workers", "redis"]), st.integers(0, 200), st.integers(1, 60)), max_size=3
)


@settings(max_examples=60)
@given(
    counts=st.lists(st.integers(0, 40), min_size=1, max_size=200),
    handling=HANDLINGS,
    outages=OUTAGES.map(tuple),
    concurrency=st.integers(1, 8),
    grace=st.integers(11, 60),
    node_pods=st.none() | st.integers(1, 4),
    protect_busy=st.booleans(),
    seed=st.integers(0, 5),
)
def test_no_message_is_lost_or_duplicated(counts: list[int], handling: HandlingTimes, seed: int, **more: Any) -> None:  # noqa: ANN401 - any field
    """In each second, each sent message is done, waiting or running; at the end all are done."""
    scaled = scaling(poll=5, cooldown=20, maxReplicaCount=6, behavior={"scaleDown": {"stabilizationWindowSeconds": 0}})
    scenario = replace(scenario_of(*counts), settings=scaled, handling=handling, pod_start=2, after=40_000, **more)
    run = simulate(scenario, seed)

    rows = zip(*(getattr(run.series, name) for name in ("sent", "done", "waiting", "running")), strict=True)
    assert all(sent == done + waiting + running for sent, done, waiting, running in rows)
    assert min(run.series.waiting) >= 0
    assert run.summary.done == run.summary.sent == sum(counts) == sum(run.summary.waits.values())
    assert max(run.series.wanted) <= 6
    assert all(ready <= pods for ready, pods in zip(run.series.ready, run.series.pods, strict=True))
    assert run.summary.back_at_min is not None


def one_by_one(counts: list[int], seconds: float, slots: int) -> list[float]:
    """The wait of each message, by an exact model of messages and slots."""
    free = [0.0] * slots
    waits = []
    for now, count in enumerate(counts):
        for _ in range(count):
            start = max(now, heappop(free))
            heappush(free, start + seconds)
            waits.append(start - now)
    return waits


@given(
    counts=st.lists(st.integers(0, 12), min_size=1, max_size=80),
    handling=st.integers(1, 30),
    pods=st.integers(1, 3),
    concurrency=st.integers(1, 5),
    seed=st.integers(0, 5),
)
def test_cohorts_wait_as_each_of_their_messages_would(
    counts: list[int], handling: int, pods: int, concurrency: int, seed: int
) -> None:
    """Exactly, for whole seconds and any random seed."""
    run = simulate(scenario_of(*counts, handling=handling, pods=pods, concurrency=concurrency, after=40_000), seed)
    assert run.summary.waits == Counter(one_by_one(counts, handling, pods * concurrency))


@pytest.mark.parametrize(("rate", "seconds", "slots"), [(5, 0.15, 1), (30, 0.5, 20), (4, 2.3, 10), (1, 7.4, 8)])
def test_fractional_waits_are_close_to_those_of_each_message(rate: float, seconds: float, slots: int) -> None:
    """With nearly full slots, where it matters most; the messages of a second come at its start."""
    counts = list(RandomArrivals(rate, 20_000).arrivals(Random(5)))  # noqa: S311 - repeatable randomness
    exact = sorted(one_by_one(counts, seconds, slots))
    run = simulate(scenario_of(*counts, handling=seconds, concurrency=slots, after=5_000), seed=1)
    for share in (0.5, 0.9, 0.99):
        assert run.summary.waited(share) == pytest.approx(exact[int(share * len(exact))], rel=0.3, abs=1.5)


@pytest.mark.parametrize("seconds", [0.05, 0.5, 1, 3, 7.5])
@pytest.mark.parametrize("rate", [0.7, 20])
def test_littles_law_holds(seconds: float, rate: float) -> None:
    """Under a steady load, the number of running messages is the arrivals during the handling time."""
    lasts = 20_000
    scenario = replace(scenario_of(handling=seconds, pods=10, concurrency=100), traffic=RandomArrivals(rate, lasts))
    run = simulate(scenario, seed=3)
    arrival_rate = run.summary.sent / lasts
    assert sum(run.series.running[:lasts]) / lasts == pytest.approx(arrival_rate * seconds, rel=0.1)


@pytest.mark.parametrize(
    "handling",
    [HandlingTimes.fixed(0.3), HandlingTimes.fixed(2), HandlingTimes.spread(1, 12), HandlingTimes.sample([0.2, 5])],
)
def test_a_full_pod_has_its_maximum_throughput(handling: HandlingTimes) -> None:
    """Its slots divided by the mean handling time."""
    lasts = 5_000
    run = simulate(replace(scenario_of(10**6, concurrency=8), handling=handling, after=lasts), seed=2)
    assert run.summary.done / lasts == pytest.approx(8 / handling.mean, rel=0.03)
    assert max(run.series.running) == 8


def test_littles_law_holds_for_waits() -> None:
    """The mean number of waiting messages is the rate times the mean wait, also while pods start and stop."""
    scaled = scaling(poll=5, cooldown=30, target=10)
    run = simulate(replace(scenario_of(concurrency=5), settings=scaled, traffic=RandomArrivals(8, 10_000)), seed=1)
    waits = run.summary.waits
    waited = sum(wait * count for wait, count in waits.items())
    assert sum(run.series.waiting) == pytest.approx(waited, rel=0.01)


@pytest.mark.parametrize(
    "handling", [HandlingTimes.fixed(2.5), HandlingTimes.spread(1, 10), HandlingTimes.sample([0.1, 0.2, 0.4, 9, 1.5])]
)
def test_shares_of_handling_times_keep_their_mean(handling: HandlingTimes) -> None:
    """In whole ticks as well."""
    before, mean = 0.0, 0.0
    for length, share in handling.ticks:
        mean += length * (share - before)
        before = share
    assert mean == pytest.approx(handling.mean)
    assert before == 1


def test_a_spread_has_the_given_median_and_p99() -> None:
    """As closely as sixteen values can."""
    handling = HandlingTimes.spread(median=1, p99=8)
    below = sum(share for seconds, share in handling.points if seconds <= 1)
    assert below == pytest.approx(0.5, abs=0.07)
    assert 4 < handling.points[-1][0] < 12
    assert HandlingTimes.spread(3, 3).mean == pytest.approx(3)


def test_the_same_random_seed_gives_the_same_run() -> None:
    """Byte for byte; another seed gives another run."""
    scaled = scaling(poll=5, cooldown=30)
    scenario = replace(
        scenario_of(concurrency=3),
        settings=scaled,
        traffic=RandomArrivals(5, 3_000),
        handling=HandlingTimes.spread(1, 9),
    )

    def bytes_of(run: SimulationRun) -> list[bytes]:
        return [
            getattr(run.series, name).tobytes() for name in ("sent", "waiting", "running", "done", "wanted", "pods")
        ]

    one, again, other = (simulate(scenario, seed) for seed in (7, 7, 8))
    assert (bytes_of(one), one.decisions, one.summary) == (bytes_of(again), again.decisions, again.summary)
    assert bytes_of(one) != bytes_of(other)


def test_more_pods_do_not_change_the_arrivals() -> None:
    """Traffic has its own random source, so that runs can be compared."""
    traffic = RandomArrivals(5, 500)
    few = simulate(replace(scenario_of(pods=1), traffic=traffic), seed=1)
    many = simulate(replace(scenario_of(pods=9), traffic=traffic, handling=HandlingTimes.spread(1, 9)), seed=1)
    assert few.series.sent[:500] == many.series.sent[:500]


@pytest.mark.parametrize("rate", [0.05, 5, 500])
def test_a_day_is_simulated(rate: float, record_property: Callable[[str, object], None]) -> None:
    """86,400 seconds; the time that it took is recorded, not checked."""
    scaled = scaling(poll=5, cooldown=180, target=32, maxReplicaCount=80)
    scenario = replace(
        scenario_of(concurrency=16),
        settings=scaled,
        traffic=RandomArrivals(rate, 86_400),
        handling=HandlingTimes.spread(1, 8),
    )
    before = time.process_time()
    run = simulate(scenario, seed=1)
    took = time.process_time() - before
    record_property("cpu_seconds", round(took, 2))
    print(f"a day at {rate}/s: {took:.2f} s of CPU", file=sys.stderr)  # noqa: T201 - the purpose of the test
    assert run.summary.done == run.summary.sent > 0
    assert run.summary.lasted > 86_400
