"""KEDA's scalers: they count failures, apply the fallback and the formula, and decide on activation."""

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
    """The value of an external metric for the HPA; None if it failed."""

    name: str
    value: float | None
    target: float


@dataclass(frozen=True, slots=True)
class ScalerReadout:
    """The result of reading all triggers."""

    metrics: tuple[Metric, ...] = ()
    active: bool = False
    error: bool = False
    falling_back: bool = False
    """A trigger has failed more often than the fallback's threshold."""
    unreachable: bool = False
    """The scalers cannot be built; KEDA's loop then does nothing."""


class _NoValue(Enum):
    ERROR = "error"
    NIL = "nil"


@dataclass(slots=True)
class Scalers:
    """The scalers that KEDA's loop and its metrics server share: both count failures."""

    settings: Settings
    failures: dict[str, int] = field(default_factory=dict)
    built: bool = False

    def read(self, readings: Readings, replicas: int) -> ScalerReadout:
        """Evaluate a reading of every trigger.

        An unreachable Redis differs from one that returns errors. After the first error KEDA drops its scalers, and
        then fails to connect while it builds new ones, where no failure is counted. Measured with KEDA 2.21:
        `numberOfFailures` stays at 1 or 2, the fallback is never used, and the pods stay until Redis is back.
        """
        triggers = self.settings.triggers
        unreachable = any(one.connects and readings.get(one.name) is Failed.UNREACHABLE for one in triggers)
        if unreachable and not self.built:
            failed = tuple(Metric(name, None, target) for name, target in self._targets())
            return ScalerReadout(failed, error=True, unreachable=True)
        values: dict[str, float | _NoValue] = {}
        substitutes: dict[str, float] = {}
        for trigger in triggers:
            reading = readings.get(trigger.name, Failed.ERROR)
            if not isinstance(reading, Failed):
                self.failures[trigger.name] = 0
                values[trigger.name] = milli(reading)
            else:
                values[trigger.name] = self._failed(trigger, replicas, substitutes)
        error = _NoValue.ERROR in values.values()
        self.built = not error
        if self.settings.formula:
            return self._by_formula(self.settings.formula, values, substitutes, error=error)
        return self._by_trigger(values, substitutes, error=error)

    def _targets(self) -> list[tuple[str, float]]:
        if self.settings.formula:
            return [("composite-metric", self.settings.target)]
        return [(one.name, one.target) for one in self.settings.triggers]

    def _failed(self, trigger: Trigger, replicas: int, substitutes: dict[str, float]) -> float | _NoValue:
        fallback = self.settings.valid_fallback
        if fallback is None:
            return _NoValue.ERROR
        count = self.failures[trigger.name] = self.failures.get(trigger.name, 0) + 1
        if count <= fallback.failures:
            return _NoValue.ERROR
        if fallback.behavior == "scalingModifiers":
            return _NoValue.NIL
        target = self.settings.target if self.settings.formula else trigger.target
        substitutes[trigger.name] = milli(target * fallback_replicas(fallback, replicas))
        return substitutes[trigger.name]

    def _by_formula(
        self, formula: Formula, values: dict[str, float | _NoValue], substitutes: dict[str, float], *, error: bool
    ) -> ScalerReadout:
        settings = self.settings
        value: float | None
        if substitutes:
            value = next(iter(substitutes.values()))
        elif error:
            value = None
        else:
            readings = {name: None if isinstance(one, _NoValue) else one for name, one in values.items()}
            value = self._result(formula, readings)
        # A failed formula is not an error in KEDA's loop: the ScaledObject is just not active.
        active = not error and value is not None and value > settings.activation
        falling_back = bool(substitutes) or _NoValue.NIL in values.values()
        return ScalerReadout((Metric("composite-metric", value, settings.target),), active, error, falling_back)

    def _result(self, formula: Formula, readings: dict[str, float | None]) -> float | None:
        """The result; None if the formula fails, and the fallback's value for nil."""
        try:
            value = formula.value(readings)
        except FormulaError:
            return None
        fallback = self.settings.fallback
        if value is None:
            return None if fallback is None else milli(fallback.replicas * self.settings.target)
        return milli(value)

    def _by_trigger(
        self, values: dict[str, float | _NoValue], substitutes: dict[str, float], *, error: bool
    ) -> ScalerReadout:
        metrics, active = [], False
        for trigger in self.settings.triggers:
            read = values[trigger.name]
            # Nil has no meaning without a formula, and KEDA passes on the -1 that stands for it.
            value = None if read is _NoValue.ERROR else -1.0 if isinstance(read, _NoValue) else read
            metrics.append(Metric(trigger.name, value, trigger.target))
            active |= trigger.name in substitutes or (value is not None and value > trigger.activation)
        falling_back = bool(substitutes) or _NoValue.NIL in values.values()
        return ScalerReadout(tuple(metrics), active, error, falling_back)


def fallback_replicas(fallback: Fallback, replicas: int) -> int:
    """The number of pods of a fallback."""
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
    """Metrics are truncated to thousandths. Infinity and NaN become the lowest integer, as in Go on amd64."""
    return int(value * 1000) / 1000 if math.isfinite(value * 1000) else LOWEST
