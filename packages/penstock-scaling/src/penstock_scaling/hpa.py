"""The HPA's arithmetic (Kubernetes 1.36, `pkg/controller/podautoscaler`), for external metrics with an average target.

cur == 0 -> no change.  cur > max or < min -> set at once.
ratio = v / (target * cur); within tolerance keep, else ceil(v / target).   d = max over metrics
any metric failed and d < cur -> no scale-down;  all failed -> no change
no behavior:  rec = max(d, recommendations of 300 s); limit max(2*cur, 4)
behavior:     up = min(d, recs in up window); down = max(d, recs in down window); rec = cur moved into [up, down]
  up limit from policies: Pods start+v, Percent ceil(start*(1+v/100))
  down limit: Pods start-v, Percent trunc(start*(1-v/100));  start = cur - added + removed in the period
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from penstock_scaling.scalers import Metric
from penstock_scaling.settings import Behavior, ScalingRules, Settings

Timestamped = tuple[float, int]
MAX_INT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class HpaStep:
    """The wanted number of pods, and why."""

    replicas: int
    why: str


@dataclass(slots=True)
class Hpa:
    """The HPA's state: its recommendations, and its own steps up and down."""

    settings: Settings
    recommendations: list[Timestamped] = field(default_factory=list)
    ups: list[Timestamped] = field(default_factory=list)
    downs: list[Timestamped] = field(default_factory=list)

    def sync(self, metrics: Sequence[Metric], replicas: int, now: float) -> HpaStep:
        """One sync: the number that the metrics ask for, limited by windows, policies and bounds."""
        if not self.recommendations:
            self.recommendations.append((now, replicas))
        synced = self._sync(metrics, replicas, now)
        if self.settings.behavior and synced.replicas != replicas:
            steps = self.ups if synced.replicas > replicas else self.downs
            steps.append((now, abs(synced.replicas - replicas)))
        return synced

    def _sync(self, metrics: Sequence[Metric], replicas: int, now: float) -> HpaStep:
        settings = self.settings
        if replicas == 0:
            return HpaStep(0, "disabled at 0 replicas")
        if replicas > settings.max:
            return HpaStep(settings.max, f"above the maximum: {replicas} -> {settings.max}")
        if replicas < settings.hpa_min:
            return HpaStep(settings.hpa_min, f"below the minimum: {replicas} -> {settings.hpa_min}")
        proposed = proposal(settings, metrics, replicas)
        if proposed is None:
            return HpaStep(replicas, "a metric failed: no change")
        desired, calculation = proposed
        if settings.behavior:
            held, why = self._stabilized(settings.behavior, replicas, desired, now)
            limited, limit = self._limited(settings.behavior, replicas, held, now)
        else:
            held, why = self._highest(desired, now)
            limited, limit = _bounded_without_behavior(settings, replicas, held)
        self._remember(desired, now)
        return HpaStep(limited, f"{calculation}{why}{limit}")

    def _highest(self, desired: int, now: float) -> tuple[int, str]:
        highest = max([desired, *(one for at, one in self.recommendations if at >= now - self.settings.window)])
        return highest, "" if highest == desired else f", held at {highest} by the stabilization window"

    def _stabilized(self, behavior: Behavior, replicas: int, desired: int, now: float) -> tuple[int, str]:
        up = min([desired, *_since(self.recommendations, now - behavior.up.window)])
        down = max([desired, *_since(self.recommendations, now - behavior.down.window)])
        held = min(max(replicas, up), down)
        return held, "" if held == desired else f", held at {held} by the stabilization window"

    def _limited(self, behavior: Behavior, replicas: int, wanted: int, now: float) -> tuple[int, str]:
        settings = self.settings
        if wanted > replicas:
            limit = max(replicas, self._limit(behavior.up, replicas, now, _grown, highest=max))
            most = min(limit, settings.max)
            if wanted > most:
                return most, ", scale-up limited by policy" if limit < settings.max else ", at the maximum"
        elif wanted < replicas:
            limit = min(replicas, self._limit(behavior.down, replicas, now, _shrunk, highest=min))
            hpa_min = max(limit, settings.hpa_min)
            if wanted < hpa_min:
                return hpa_min, ", scale-down limited by policy" if limit > settings.hpa_min else ", at the minimum"
        return wanted, ""

    def _limit(
        self,
        rules: ScalingRules,
        replicas: int,
        now: float,
        moved: Callable[[int, str, int], int],
        highest: Callable[[Iterable[int]], int],
    ) -> int:
        """The limit of the policies; `Min` selects the policy with the smallest change."""
        if rules.select == "Disabled":
            return replicas
        proposals = []
        for policy in rules.policies:
            added, removed = (sum(_since(steps, now - policy.period)) for steps in (self.ups, self.downs))
            proposals.append(moved(replicas - added + removed, policy.type, policy.value))
        lowest = min if highest is max else max
        return (lowest if rules.select == "Min" else highest)(proposals)

    def _remember(self, desired: int, now: float) -> None:
        behavior = self.settings.behavior
        oldest = now - (max(behavior.up.window, behavior.down.window) if behavior else self.settings.window)
        self.recommendations = [one for one in self.recommendations if one[0] >= oldest]
        self.recommendations.append((now, desired))
        if behavior:
            longest = max(policy.period for rules in (behavior.up, behavior.down) for policy in rules.policies)
            self.ups = [one for one in self.ups if one[0] > now - longest]
            self.downs = [one for one in self.downs if one[0] > now - longest]


def proposal(settings: Settings, metrics: Sequence[Metric], replicas: int) -> tuple[int, str] | None:
    """The largest number that a metric asks for, with its calculation; None if a failed metric forbids a change."""
    most, calculation, failed = 0, "", 0
    for one in metrics:
        if one.value is None:
            failed += 1
            continue
        wanted = desired_for(settings, one.value, one.target, replicas)
        if most == 0 or wanted > most:
            most, calculation = wanted, f"{one.value:.10g} / {one.target:.10g} -> {wanted}"
    if failed == len(metrics) or (failed and most < replicas):
        return None
    return most, calculation


def desired_for(settings: Settings, value: float, target: float, replicas: int) -> int:
    """For one metric. Kubernetes treats a negative value as an overflow, which asks for the maximum."""
    if value < 0:
        return MAX_INT
    down = up = settings.tolerance
    if settings.behavior:
        down = down if settings.behavior.down.tolerance is None else settings.behavior.down.tolerance
        up = up if settings.behavior.up.tolerance is None else settings.behavior.up.tolerance
    # In whole thousandths, as in Kubernetes: 0.3 / 0.1 is 3.
    value, target = round(value * 1000), round(target * 1000)
    if 1 - down <= value / (target * replicas) <= 1 + up:
        return replicas
    return min(math.ceil(value / target), MAX_INT)


def _bounded_without_behavior(settings: Settings, replicas: int, wanted: int) -> tuple[int, str]:
    limit = max(2 * replicas, 4)
    most = min(settings.max, limit)
    if wanted > most:
        return most, ", at the maximum" if most == settings.max else ", scale-up limited"
    return (settings.hpa_min, ", at the minimum") if wanted < settings.hpa_min else (wanted, "")


def _since(stamped: Iterable[Timestamped], cutoff: float) -> list[int]:
    return [one for at, one in stamped if at > cutoff]


def _grown(start: int, type_: str, value: int) -> int:
    return start + value if type_ == "Pods" else math.ceil(start * (1 + value / 100))


def _shrunk(start: int, type_: str, value: int) -> int:
    return start - value if type_ == "Pods" else math.trunc(start * (1 - value / 100))
