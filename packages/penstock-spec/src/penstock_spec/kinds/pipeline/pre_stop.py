"""How long a preStop hook, added by a patch of the Deployment, delays SIGTERM."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from penstock_spec.sections import Patch
from penstock_spec.values.quantities import Duration

WORKER = ("spec", "template", "spec", "containers", "0")
SLEEP = re.compile(r"\bsleep\s+([0-9]{1,9}(?:\.[0-9]{1,9})?)([smhd]?)(?![\w.])", re.ASCII)
SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST = 10**9


def pre_stop(patches: Iterable[Patch]) -> tuple[Duration, int | None]:
    """The delay, and the index of the patch that sets it. The generated manifest has no hook."""
    tree: dict[str, Any] = {}
    time, by = 0, None
    for index, patch in enumerate(patches):
        if patch.target != "Deployment":
            continue
        steps = [step.replace("~1", "/").replace("~0", "~") for step in patch.path.split("/")[1:]]
        _apply(tree, steps, patch)
        before, time = time, _milliseconds(_below(tree, (*WORKER, "lifecycle", "preStop")))
        if time != before:
            by = index
    return Duration.of(time), by


def _apply(tree: dict[str, Any], steps: list[str], patch: Patch) -> None:
    section = tree
    for step in steps[:-1]:
        inner = section.get(step)
        if not isinstance(inner, dict):
            inner = section[step] = {}
        section = inner
    if patch.op == "remove":
        section.pop(steps[-1], None)
    else:
        section[steps[-1]] = _sections(patch.value)


def _sections(value: object) -> object:
    """Convert lists to sections, so that paths work the same in both."""
    if isinstance(value, dict):
        return {key: _sections(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return {str(index): _sections(inner) for index, inner in enumerate(value)}
    return value


def _below(value: object, steps: Iterable[str]) -> object:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _milliseconds(hook: object) -> int:
    seconds = _below(hook, ("sleep", "seconds"))
    if isinstance(seconds, int) and not isinstance(seconds, bool):
        return min(max(0, seconds), LONGEST) * 1000
    command = _below(hook, ("exec", "command"))
    words = " ".join(str(word) for word in command.values()) if isinstance(command, dict) else ""
    return sum(int(float(number) * 1000) * SECONDS[unit] for number, unit in SLEEP.findall(words))
