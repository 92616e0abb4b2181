"""Reads settings from a ScaledObject as plain data, patches included.

Invalid values count as absent, and absent ones have the default of KEDA or Kubernetes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, get_args

from penstock_scaling.formula import Formula, parsed
from penstock_scaling.operators import FormulaError
from penstock_scaling.settings import (
    DOWN,
    UP,
    Behavior,
    Fallback,
    FallbackBehavior,
    Pause,
    Policy,
    Reads,
    ScalingRules,
    Settings,
    Trigger,
)
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.trigger import ACTIVATION, Mode, amount, triggers_in
from penstock_spec.kinds.pipeline.scaler.trigger import Trigger as ManifestTrigger

TARGETS = {"length": "streamLength", "lag": "lagCount", "pending": "pendingEntriesCount", "list": "listLength"}
DEFAULT_TARGET = 5.0

READS: Mapping[Mode, Reads] = {
    "length": "length",
    "lag": "lag",
    "pending": "pending",
    "list": "parked",
    "other": "other",
}

WHOLE = re.compile(r"[+-]?[0-9]+")
ANNOTATION = "autoscaling.keda.sh/"
FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def settings_of(manifest: Mapping[str, Any]) -> Settings:
    """The settings that KEDA and the HPA would use."""
    spec, defaults = _Section(manifest).part("spec"), Settings(())
    pause = _pause(_Section(manifest).part("metadata").part("annotations"))
    advanced = spec.part("advanced")
    modifiers, hpa = advanced.part("scalingModifiers"), advanced.part("horizontalPodAutoscalerConfig")
    if "Value" in (modifiers.text("metricType"), *(one.text("metricType") for one in spec.parts("triggers"))):
        raise CannotGoOn(
            "a metric of type `Value` depends on the number of ready pods, which is not simulated",
            "remove `metricType`; the default is `AverageValue`",
        )
    formula = _formula(modifiers.text("formula"))
    triggers = tuple(_trigger(one, formula) for one in triggers_in(spec.data.get("triggers")))
    target = amount(modifiers.data.get("target")) or 0
    if formula:
        _names_known(formula, triggers)
        if not 0 < target < math.inf:
            raise CannotGoOn("a formula needs a target above 0", 'write the target per pod: `target: "32"`')
    idle = spec.integer("idleReplicaCount", -1)
    return Settings(
        triggers=triggers,
        min=spec.integer("minReplicaCount", defaults.min),
        max=spec.integer("maxReplicaCount", defaults.max),
        idle=None if idle < 0 else idle,
        poll=max(1, spec.integer("pollingInterval", int(defaults.poll))),
        cooldown=spec.integer("cooldownPeriod", int(defaults.cooldown)),
        initial_cooldown=spec.integer("initialCooldownPeriod", 0),
        formula=formula,
        target=target,
        whole_target=WHOLE.fullmatch(modifiers.text("target")) is not None,
        activation=amount(modifiers.data.get("activationTarget")) or 0,
        fallback=_fallback(spec.part("fallback")),
        behavior=_behavior(hpa.part("behavior"), pause),
        pause=pause,
    )


def _formula(text: str) -> Formula | None:
    try:
        return parsed(text) if text else None
    except FormulaError as error:
        raise CannotGoOn(
            f"cannot parse the formula `{text[:100]}`: {error}",
            "write numbers, triggers, `+ - * /`, comparisons, `? :`, `??`, and functions such as `max`",
        ) from error


def _names_known(formula: Formula, triggers: tuple[Trigger, ...]) -> None:
    unknown = sorted(formula.names - {one.name for one in triggers})
    if unknown:
        raise CannotGoOn(f"the formula names `{unknown[0]}`, but no trigger has that name", "name an existing trigger")


def _trigger(trigger: ManifestTrigger, formula: Formula | None) -> Trigger:
    metadata = trigger.metadata
    activation = next((value for key in ACTIVATION if (value := amount(metadata.get(key)))), 0.0)
    if trigger.type == "metrics-api":
        target = amount(metadata.get("targetValue"))
    elif trigger.mode in TARGETS:
        target = amount(metadata.get(TARGETS[trigger.mode])) or DEFAULT_TARGET
    else:
        target = None
    if not formula and not target:
        raise CannotGoOn(
            f"the target of a trigger of type `{trigger.type[:60]}` is not known",
            "count it in a formula, whose target counts instead",
        )
    return Trigger(
        name=trigger.name or str(trigger.place[-1]),
        target=target or 0.0,
        activation=activation,
        reads="oldest" if trigger.type == "metrics-api" else READS[trigger.mode],
        connects=trigger.type.startswith("redis"),
    )


def _fallback(section: _Section) -> Fallback | None:
    if not section.data:
        return None
    text = section.text("behavior")
    behavior: FallbackBehavior = next((one for one in get_args(FallbackBehavior) if one == text), "static")
    return Fallback(section.integer("replicas", 0), section.integer("failureThreshold", 0), behavior)


def _behavior(section: _Section, pause: Pause) -> Behavior | None:
    if not section.data and not pause.scale_in and not pause.scale_out:
        return None
    up, down = _rules(section.part("scaleUp"), UP), _rules(section.part("scaleDown"), DOWN)
    # This is how KEDA pauses one direction of the HPA.
    if pause.scale_out:
        up = ScalingRules(up.window, up.policies, "Disabled", up.tolerance)
    if pause.scale_in:
        down = ScalingRules(down.window, down.policies, "Disabled", down.tolerance)
    return Behavior(up, down)


def _rules(section: _Section, default: ScalingRules) -> ScalingRules:
    policies = tuple(
        Policy(
            "Percent" if one.text("type") == "Percent" else "Pods",
            one.integer("value", 1),
            one.integer("periodSeconds", 15),
        )
        for one in section.parts("policies")
    )
    select = section.text("selectPolicy")
    return ScalingRules(
        window=section.integer("stabilizationWindowSeconds", int(default.window)),
        policies=policies or default.policies,
        select="Min" if select == "Min" else "Disabled" if select == "Disabled" else "Max",
        tolerance=amount(section.data.get("tolerance")),
    )


def _pause(annotations: _Section) -> Pause:
    def flag(name: str) -> bool:
        """True unless Go parses it as false; KEDA treats invalid text as true."""
        value = annotations.data.get(ANNOTATION + name)
        return isinstance(value, str) and value not in FALSE

    at = amount(annotations.data.get(ANNOTATION + "paused-replicas"))
    return Pause(
        everything=flag("paused") or ANNOTATION + "paused-replicas" in annotations.data,
        at=None if at is None else int(at),
        scale_in=flag("paused-scale-in"),
        scale_out=flag("paused-scale-out"),
        force_activation=flag("force-activation"),
    )


class _Section:
    """A mapping of the manifest; empty if the value is not a mapping."""

    def __init__(self, data: object) -> None:
        self.data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}

    def part(self, key: str) -> _Section:
        return _Section(self.data.get(key))

    def parts(self, key: str) -> list[_Section]:
        items = self.data.get(key)
        return [_Section(one) for one in items] if isinstance(items, list) else []

    def integer(self, key: str, default: int) -> int:
        value = self.data.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ""
