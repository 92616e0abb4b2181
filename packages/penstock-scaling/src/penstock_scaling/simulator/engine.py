"""The steps of a simulation.

In each second: messages finish; pods become ready or are gone; messages arrive; free slots take waiting messages; KEDA
and the HPA decide if they are due, and pods start or stop.
"""

from __future__ import annotations

from random import Random

from penstock_scaling.autoscaler import Autoscaler, Decision
from penstock_scaling.readings import Failed, Readings
from penstock_scaling.simulator.backlog import Backlog
from penstock_scaling.simulator.due_counts import DueCounts
from penstock_scaling.simulator.pods import Pods, running_per_pod
from penstock_scaling.simulator.run import RunCounters, Series, SimulationRun, summarize
from penstock_scaling.simulator.scenario import Scenario
from penstock_spec.findings import CannotGoOn


def simulate(scenario: Scenario, seed: int) -> SimulationRun:
    """Run the scenario. Traffic has its own random source, so that it does not depend on the rest."""
    _refuse_unknown_triggers(scenario)
    simulation = _Simulation(scenario, Random(f"run {seed}"))  # noqa: S311 - repeatable randomness
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


def _refuse_unknown_triggers(scenario: Scenario) -> None:
    settings = scenario.settings
    for one in settings.triggers:
        if one.reads == "other" and (settings.formula is None or one.name in settings.formula.names):
            raise CannotGoOn(
                f"the trigger `{one.name[:60]}` cannot be simulated",
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
        # Messages on ready pods; on stopping pods, those that finish and those given back; those of lost workers.
        self.ending, self.draining, self.returning, self.lost = DueCounts(), DueCounts(), DueCounts(), DueCounts()
        self.held = self.sent = self.done = 0
        self.counters = RunCounters()
        self.decisions: list[Decision] = []
        self.boundaries = {at for one in scenario.outages for at in (one.start, one.end)}
        self.down: dict[str, int] = {}
        """What is down, and until when."""

    @property
    def quiet(self) -> bool:
        """Whether all work is done and the pods are back at the minimum."""
        return self.counters.quiet is not None

    def tick(self, now: int, arriving: int) -> None:
        if now in self.boundaries:
            self._outages(now)
        self._end(now)
        self.pods.pass_to(now)
        self._arrive(now, arriving)
        if not self.down:
            self._start(now)
        if now >= self.due:
            self._scale(now)
        self._record(now)

    def _outages(self, now: int) -> None:
        before = self.down
        self.down = {}
        for one in self.scenario.outages:
            if one.start <= now < one.end:
                self.down[one.of] = max(one.end, self.down.get(one.of, 0))
        if "workers" in self.down and "workers" not in before:
            lost = sum(running.clear() for running in (self.ending, self.draining, self.returning))
            self.lost.add(now + self.scenario.lease, lost)

    def _end(self, now: int) -> None:
        if until := self.down.get("redis"):
            # A worker that cannot settle keeps the outcome and the slot, and retries.
            for running in (self.ending, self.draining, self.returning, self.lost):
                running.postpone(now, until)
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
        if "redis" in self.down:
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
        """Give each started message a duration, as close to the shares as whole messages allow."""
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
        self.decisions.extend(one for one in self.autoscaler.decisions if one.changed)
        if wanted > self.wanted:
            self.pods.start(now, wanted - self.wanted)
        elif going := self.pods.stop(self.wanted - wanted):
            self._stop(now, going)
        self.wanted = wanted

    def _read(self, now: int) -> Readings:
        """The current values of the triggers."""
        running = self.ending.total + self.draining.total + self.returning.total + self.lost.total
        backlog, down = self.backlog, "redis" in self.down
        values: dict[str, float] = {
            "length": self.sent if self.scenario.keeps_history else backlog.waiting + running,
            "lag": backlog.unread,
            "pending": running + backlog.given_back,
            "parked": 0,
            "oldest": backlog.oldest(now),
        }
        # Without Redis the janitor responds with an error.
        failure = {True: Failed.UNREACHABLE, False: Failed.ERROR}
        return {
            one.name: failure[one.connects] if down else values.get(one.reads, 0)
            for one in self.scenario.settings.triggers
        }

    def _stop(self, now: int, going: int) -> None:
        """Stop ready pods: they finish what they can in time and give the rest back."""
        scenario = self.scenario
        on = running_per_pod(scenario, self.pods.ready, self.ending.total, going, self.random)
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
        total = pods.total if pods.starting or pods.stopping else pods.ready
        series.sent.append(self.sent)
        series.waiting.append(waiting)
        series.running.append(running)
        series.done.append(self.done)
        series.oldest.append(backlog.oldest(now) if waiting else 0)
        series.wanted.append(self.wanted)
        series.ready.append(pods.ready)
        series.pods.append(total)
        series.stopped.append(self.counters.busy_pods_stopped)
        calm = not (waiting or running or self.held) and total == self.wanted == self.least
        if not calm:
            self.counters.quiet = None
        elif self.counters.quiet is None:
            self.counters.quiet = now

    def result(self) -> SimulationRun:
        decisions, waits = tuple(self.decisions), self.backlog.waits_until(len(self.series))
        return SimulationRun(
            self.series, decisions, summarize(self.series, decisions, waits, self.counters, self.scenario.target_age)
        )
