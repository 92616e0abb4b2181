"""The steps of a run.

In each second: what ends, ends; pods become ready or are gone; messages arrive; free slots take what waits; KEDA and
the HPA look, where they are due, and pods start or leave.
"""

from __future__ import annotations

from random import Random

from penstock_scaling.autoscaler import Autoscaler, Decision
from penstock_scaling.readings import Failed, Readings
from penstock_scaling.simulator.backlog import Backlog
from penstock_scaling.simulator.due_counts import DueCounts
from penstock_scaling.simulator.pods import Pods, loads
from penstock_scaling.simulator.run import Run, RunCounters, Series, summarize
from penstock_scaling.simulator.scenario import Scenario
from penstock_spec.findings import CannotGoOn


def simulate(scenario: Scenario, seed: int) -> Run:
    """Run it. Traffic and all else have a source of chance each, so that neither disturbs the other."""
    _all_read(scenario)
    simulation = _Simulation(scenario, Random(f"run {seed}"))  # noqa: S311 - chance that can be repeated
    arrivals = scenario.traffic.arrivals(Random(f"traffic {seed}"))  # noqa: S311 - as above
    now = 0
    for count in arrivals:
        simulation.tick(now, count)
        now += 1
    end = now + max(1, scenario.after)
    while now < end and not simulation.quiet:
        simulation.tick(now, 0)
        now += 1
    return simulation.result()


def _all_read(scenario: Scenario) -> None:
    settings = scenario.settings
    for one in settings.triggers:
        if one.reads == "other" and (settings.formula is None or one.name in settings.formula.names):
            raise CannotGoOn(
                f"what the trigger `{one.name[:60]}` reads is not simulated",
                "simulate with triggers on the stream, its parked messages and the age of the oldest",
            )


class _Simulation:
    def __init__(self, scenario: Scenario, random: Random) -> None:
        settings = scenario.settings
        self.scenario, self.random = scenario, random
        self.autoscaler = Autoscaler(settings)
        self.due = self.autoscaler.due()
        self.wanted = settings.min if scenario.replicas is None else scenario.replicas
        self.least = settings.min if settings.idle is None else settings.idle
        self.pods, self.backlog, self.series = Pods(scenario, self.wanted), Backlog(), Series()
        # What runs on pods that stay, what ends on pods that leave, what those will give back, what lost workers ran.
        self.ending, self.draining, self.returning, self.lost = DueCounts(), DueCounts(), DueCounts(), DueCounts()
        self.held = self.sent = self.done = 0
        self.counters = RunCounters()
        self.decisions: list[Decision] = []
        self.boundaries = {at for one in scenario.outages for at in (one.start, one.end)}
        self.away: dict[str, int] = {}
        """What is away, and until when."""

    @property
    def quiet(self) -> bool:
        """Nothing is left to do, and no pod to go."""
        return self.counters.quiet is not None

    def tick(self, now: int, arriving: int) -> None:
        if now in self.boundaries:
            self._outages(now)
        self._end(now)
        self.pods.pass_to(now)
        self._arrive(now, arriving)
        if not self.away:
            self._start(now)
        if now >= self.due:
            self._scale(now)
        self._record(now)

    def _outages(self, now: int) -> None:
        before = self.away
        self.away = {}
        for one in self.scenario.outages:
            if one.start <= now < one.end:
                self.away[one.of] = max(one.end, self.away.get(one.of, 0))
        if "workers" in self.away and "workers" not in before:
            lost = sum(running.clear() for running in (self.ending, self.draining, self.returning))
            self.lost.add(now + self.scenario.lease, lost)

    def _end(self, now: int) -> None:
        if until := self.away.get("redis"):
            # Who cannot settle keeps the outcome and the slot, and repeats it.
            for running in (self.ending, self.draining, self.returning, self.lost):
                running.put_off(now, until)
            return
        self.done += self.ending.pop(now)
        if self.draining.total:
            self.done += self.draining.pop(now)
        if self.returning.total and (count := self.returning.pop(now)):
            self.backlog.give_back(now, count)
        if self.lost.total and (count := self.lost.pop(now)):
            self.backlog.give_back(now, count)
            self.counters.taken_over += count

    def _arrive(self, now: int, arriving: int) -> None:
        if "redis" in self.away:
            self.held += arriving
            return
        if self.held:
            arriving += self.held
            self.held = 0
        if arriving:
            self.backlog.send(now, arriving)
            self.sent += arriving

    def _start(self, now: int) -> None:
        free = self.pods.ready * self.scenario.concurrency - self.ending.total
        waiting = self.backlog.unread + self.backlog.given_back
        if free <= 0 or not waiting:
            return
        handling = self.scenario.handling
        load = handling.load
        if load == 1:
            count = min(waiting, free)
        elif load:
            count = min(waiting, int(free / load + self.random.random()))
        else:
            count = waiting
        self.backlog.take(now, count)
        self._spread(now, count, free)

    def _spread(self, now: int, count: int, free: int) -> None:
        """Give each of those that start its ticks, so that the shares come out as nearly as whole messages can."""
        ticks = self.scenario.handling.ticks
        shift = 0.0 if len(ticks) == 1 else self.random.random()
        before = 0
        for length, share in ticks:
            upto = count if share == 1 else int(count * share + shift)
            if length == 0:
                upto = max(upto, count - free)
                self.done += upto
            elif upto > before:
                self.ending.add(now + length, upto - before)
            before = max(before, upto)

    def _scale(self, now: int) -> None:
        wanted = self.autoscaler.advance(now, lambda: self._read(now), self.wanted)
        self.due = self.autoscaler.due()
        if wanted == self.wanted:
            return
        self.decisions.extend(one for one in self.autoscaler.said if one.changed)
        if wanted > self.wanted:
            self.pods.start(now, wanted - self.wanted)
        elif going := self.pods.stop(self.wanted - wanted):
            self._leave(now, going)
        self.wanted = wanted

    def _read(self, now: int) -> Readings:
        """What the triggers would read, by what they count."""
        running = self.ending.total + self.draining.total + self.returning.total + self.lost.total
        backlog, away = self.backlog, "redis" in self.away
        values: dict[str, float] = {
            "length": self.sent if self.scenario.keeps_history else backlog.waiting + running,
            "lag": backlog.unread,
            "pending": running + backlog.given_back,
            "parked": 0,
            "oldest": backlog.oldest(now),
        }
        # The janitor answers, and says that it does not know.
        gone = {True: Failed.ABSENT, False: Failed.ANSWERED}
        return {
            one.name: gone[one.connects] if away else values.get(one.reads, 0)
            for one in self.scenario.settings.triggers
        }

    def _leave(self, now: int, going: int) -> None:
        """Tell ready pods to leave: what ends in time ends there, and the rest is given back."""
        scenario = self.scenario
        on = loads(scenario, self.pods.ready, self.ending.total, going, self.random)
        self.pods.ready -= going
        ends = self.ending.pick(sum(on), self.random)
        self.random.shuffle(ends)
        deadline = now + max(1, scenario.grace - scenario.margin)
        for count in on:
            mine, ends = ends[:count], ends[count:]
            self.counters.busy_pods_stopped += bool(mine)
            for end in mine:
                if end <= deadline:
                    self.draining.add(end, 1)
                else:
                    self.returning.add(deadline, 1)
                    self.counters.given_back += 1
            self.pods.leave(min(max(mine, default=now + 1), deadline))

    def _record(self, now: int) -> None:
        series, backlog, pods = self.series, self.backlog, self.pods
        waiting = backlog.unread + backlog.given_back
        running = self.ending.total + self.draining.total + self.returning.total + self.lost.total
        there = pods.there if pods.starting or pods.leaving else pods.ready
        series.sent.append(self.sent)
        series.waiting.append(waiting)
        series.running.append(running)
        series.done.append(self.done)
        series.oldest.append(backlog.oldest(now) if waiting else 0)
        series.wanted.append(self.wanted)
        series.ready.append(pods.ready)
        series.pods.append(there)
        series.stopped.append(self.counters.busy_pods_stopped)
        calm = not (waiting or running or self.held) and there == self.wanted == self.least
        if not calm:
            self.counters.quiet = None
        elif self.counters.quiet is None:
            self.counters.quiet = now

    def result(self) -> Run:
        decisions, waits = tuple(self.decisions), self.backlog.still(len(self.series))
        return Run(
            self.series, decisions, summarize(self.series, decisions, waits, self.counters, self.scenario.target_age)
        )
