"""What follows from a failed run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from penstock_spec.failures.classes import MATCHES, FailureMatch
from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import SOME_TIME
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Name, Text

STANDARD: Mapping[str, Mapping[str, Any]] = {
    "forbidden": {
        "match": ["403", "PermissionError", "AccessDenied", "AccessDeniedException"],
        "backoff": {"first": "30m"},
    },
    "throttled": {
        "match": ["429", "MemoryError", "RateLimitError", "ThrottlingException", "TooManyRequests"],
        "backoff": {"first": "30s", "factor": 2, "limit": "10m"},
    },
    "transient": {"match": ["OSError", "EOFError"]},
    "server": {"match": ["5xx"]},
}
"""Classes that are always there, in the order in which they are asked, behind those that a spec has of its own."""


class FailureBackoff(Section):
    """Waits after failures of one class, counted over the failures in a row."""

    first: Annotated[Duration, about("The wait after the first of them.", "30s"), SOME_TIME] = Duration("30s")
    factor: Annotated[Number, about("Each wait is this many times the one before.", 2, ge=1, le=100)] = 1
    limit: Annotated[
        Duration | None, about("No wait is longer; without it no wait is longer than a day.", "10m"), SOME_TIME
    ] = None


class FailureClass(FailureMatch):
    """Failures of one kind, and when the job runs again."""

    match: Annotated[
        list[Text], about(MATCHES, ["TimeoutError", "503"], derived="that of the class, where it is always there")
    ] = []
    immediate: Annotated[
        int, about("So many failures in a row are followed by another run at once.", 2, ge=0, le=1000)
    ] = 0
    backoff: Annotated[
        FailureBackoff | None,
        about("Waits of this class; without them the job's `error_interval`.", {"first": "30s", "factor": 2}),
    ] = None


def _ordered(classes: dict[str, FailureClass]) -> dict[str, FailureClass]:
    """Own classes before the standard ones, so that saying a word about one of these changes nothing else."""
    own = [name for name in classes if name not in STANDARD]
    return {name: classes[name] for name in (*own, *(name for name in STANDARD if name in classes))}


class Failures(Section):
    """What follows from a failed run: a wait that hangs on what failed."""

    by_class: Annotated[
        bool, about("Wait as the class of the failure says; else each waits as `error_interval`.", True)
    ] = False
    classes: Annotated[
        dict[Name, FailureClass],
        AfterValidator(_ordered),
        about(
            "Failures by class; the first that matches counts, and what matches none waits as `error_interval` says. "
            "Four are always there, behind a spec's own: `forbidden` (first: 30m), `throttled` (first: 30s, factor: 2, "
            "limit: 10m), `transient` and `server`.",
            {"busy": {"match": ["503"], "backoff": {"first": "30s", "factor": 2, "limit": "10m"}}},
            derived="forbidden, throttled, transient, server",
        ),
    ] = {}
