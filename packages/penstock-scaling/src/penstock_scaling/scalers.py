"""What KEDA makes of its triggers: their failures counted, the fallback, the formula, and whether it is active."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from penstock_scaling.formula import Formula
from penstock_scaling.operators import FormulaError
from penstock_scaling.readings import Failed, Readings
from penstock_scaling.settings import Fallback, Settings, Trigger

LOWEST = -(2**63)


@dataclass(frozen=True, slots=True)
class Metric:
    """What the HPA gets for one external metric: a value, or none where it failed."""

    name: str
    value: float | None
    target: float


@dataclass(frozen=True, slots=True)
class ScalerReadout:
    """What one look came to."""

    metrics: tuple[Metric, ...] = ()
    active: bool = False
    error: bool = False
    falling_back: bool = False
    """A trigger has failed more often than the fallback bears."""
    unreachable: bool = False
    """The scalers could not even be built; KEDA's loop then does nothing at all."""


class _NoValue(Enum):
    ERROR = "error"
    NIL = "nil"


@dataclass(slots=True)
class Scalers:
    """One for KEDA's loop and the HPA's questions together: both count failures."""

    settings: Settings
    failures: dict[str, int] = field(default_factory=dict)
    built: bool = False

    def look(self, readings: Readings, replicas: int) -> ScalerReadout:
        """Read every trigger.

        An absent Redis is another kind of failure than one that answers errors. The first error makes KEDA drop its
        scalers, and building them anew fails at connect, on a path that counts no failures. Measured with KEDA 2.21:
        `numberOfFailures` stays at 1 or 2, the fallback never comes, and the pods stay as they are while Redis is away.
        """
        triggers = self.settings.triggers
        absent = any(one.connects and readings.get(one.name) is Failed.ABSENT for one in triggers)
        if absent and not self.built:
            failed = tuple(Metric(name, None, target) for name, target in self._asked())
            return ScalerReadout(failed, error=True, unreachable=True)
        outcomes: dict[str, float | _NoValue] = {}
        instead: dict[str, float] = {}
        for trigger in triggers:
            reading = readings.get(trigger.name, Failed.ANSWERED)
            if not isinstance(reading, Failed):
                self.failures[trigger.name] = 0
                outcomes[trigger.name] = milli(reading)
            else:
                outcomes[trigger.name] = self._failed(trigger, replicas, instead)
        error = _NoValue.ERROR in outcomes.values()
        self.built = not error
        if self.settings.formula:
            return self._composed(self.settings.formula, outcomes, instead, error=error)
        return self._each(outcomes, instead, error=error)

    def _asked(self) -> list[tuple[str, float]]:
        if self.settings.formula:
            return [("composite-metric", self.settings.target)]
        return [(one.name, one.target) for one in self.settings.triggers]

    def _failed(self, trigger: Trigger, replicas: int, instead: dict[str, float]) -> float | _NoValue:
        fallback = self.settings.valid_fallback
        if fallback is None:
            return _NoValue.ERROR
        count = self.failures[trigger.name] = self.failures.get(trigger.name, 0) + 1
        if count <= fallback.failures:
            return _NoValue.ERROR
        if fallback.behavior == "scalingModifiers":
            return _NoValue.NIL
        target = self.settings.target if self.settings.formula else trigger.target
        instead[trigger.name] = milli(target * held(fallback, replicas))
        return instead[trigger.name]

    def _composed(
        self, formula: Formula, outcomes: dict[str, float | _NoValue], instead: dict[str, float], *, error: bool
    ) -> ScalerReadout:
        settings = self.settings
        value: float | None
        if instead:
            value = next(iter(instead.values()))
        elif error:
            value = None
        else:
            readings = {name: None if isinstance(one, _NoValue) else one for name, one in outcomes.items()}
            value = self._result(formula, readings)
        # A formula that fails is no error for KEDA's loop: there is only nothing that could be active.
        active = not error and value is not None and value > settings.activation
        falling_back = bool(instead) or _NoValue.NIL in outcomes.values()
        return ScalerReadout((Metric("composite-metric", value, settings.target),), active, error, falling_back)

    def _result(self, formula: Formula, readings: dict[str, float | None]) -> float | None:
        """None where it fails; nil is what the fallback holds."""
        try:
            value = formula.value(readings)
        except FormulaError:
            return None
        fallback = self.settings.fallback
        if value is None:
            return None if fallback is None else milli(fallback.replicas * self.settings.target)
        return milli(value)

    def _each(self, outcomes: dict[str, float | _NoValue], instead: dict[str, float], *, error: bool) -> ScalerReadout:
        metrics, active = [], False
        for trigger in self.settings.triggers:
            outcome = outcomes[trigger.name]
            # Nil has no meaning without a formula, and KEDA hands on the -1 that stands for it.
            value = None if outcome is _NoValue.ERROR else -1.0 if isinstance(outcome, _NoValue) else outcome
            metrics.append(Metric(trigger.name, value, trigger.target))
            active |= trigger.name in instead or (value is not None and value > trigger.activation)
        falling_back = bool(instead) or _NoValue.NIL in outcomes.values()
        return ScalerReadout(tuple(metrics), active, error, falling_back)


def held(fallback: Fallback, replicas: int) -> int:
    """The pods that a fallback stands for."""
    match fallback.behavior:
        case "currentReplicas":
            return replicas
        case "currentReplicasIfHigher":
            return max(replicas, fallback.replicas)
        case "currentReplicasIfLower":
            return min(replicas, fallback.replicas)
        case _:
            return fallback.replicas


def milli(value: float) -> float:
    """Metrics are whole thousandths, cut off. What has no end becomes the lowest number, as Go has it on amd64."""
    return int(value * 1000) / 1000 if math.isfinite(value * 1000) else LOWEST
