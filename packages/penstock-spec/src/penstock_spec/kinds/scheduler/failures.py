"""When a job runs again after a failed run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from penstock_spec.failures.classes import MATCHES, FailureMatch
from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import MIN_1MS
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Name, Text

STANDARD: Mapping[str, Mapping[str, Any]] = {
    "forbidden": {
        "match": [
            "403",
            "PermissionError",
            "AccessDenied",
            "AccessDeniedException",
            "UnauthorizedOperation",
            "redis.AuthenticationError",
        ],
        "backoff": {"first": "30m"},
    },
    "throttled": {
        "match": [
            "429",
            "MemoryError",
            "RateLimitError",
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "TooManyRequests",
            "TooManyRequestsException",
            "RequestLimitExceeded",
            "ProvisionedThroughputExceededException",
            "SlowDown",
        ],
        "backoff": {"first": "30s", "factor": 2, "limit": "10m"},
    },
    "transient": {
        "match": [
            "OSError",
            "EOFError",
            "httpx.TransportError",
            "aiohttp.ClientConnectionError",
            "redis.ConnectionError",
            "redis.TimeoutError",
            "botocore.exceptions.ConnectionError",
            "botocore.exceptions.HTTPClientError",
        ]
    },
    "server": {"match": ["5xx"]},
}
"""Built-in classes in matching order. They come after a spec's own classes."""


class FailureBackoff(Section):
    """Waits after consecutive failures of one class."""

    first: Annotated[Duration, about("The wait after the first failure.", "30s"), MIN_1MS] = Duration("30s")
    factor: Annotated[Number, about("Each wait is this many times the previous one.", 2, ge=1, le=100)] = 1
    limit: Annotated[
        Duration | None, about("The longest wait. Without it the longest wait is one day.", "10m"), MIN_1MS
    ] = None


class LostBackoff(FailureBackoff):
    """Waits after runs in a row that were lost with their pods."""

    first: Annotated[Duration, about("The wait after the second lost run in a row.", "1m"), MIN_1MS] = Duration("30s")
    factor: Annotated[Number, about("Each wait is this many times the previous one.", 3, ge=1, le=100)] = 2
    limit: Annotated[Duration | None, about("The longest wait. `null` limits it to one day.", "1h"), MIN_1MS] = (
        Duration("10m")
    )


class FailureClass(FailureMatch):
    """A failure class: failures after which a job waits alike."""

    match: Annotated[list[Text], about(MATCHES, ["TimeoutError", "503"], derived="that of the built-in class")] = []
    immediate: Annotated[
        int, about("The number of consecutive failures that are retried immediately.", 2, ge=0, le=1000)
    ] = 0
    backoff: Annotated[
        FailureBackoff | None,
        about("Waits for this class. Without them the job's `error_interval` applies.", {"first": "30s", "factor": 2}),
    ] = None


def _ordered(classes: dict[str, FailureClass]) -> dict[str, FailureClass]:
    """Put own classes before the built-in ones, so that overriding a built-in class does not change the order."""
    own = [name for name in classes if name not in STANDARD]
    return {name: classes[name] for name in (*own, *(name for name in STANDARD if name in classes))}


class Failures(Section):
    """When a job runs again after a failed run, and when it is given up."""

    pause_after: Annotated[
        int | None,
        about(
            "The number of consecutive failures after which a job is paused and an alert fires. `penstock scheduler "
            "resume` ends the pause. A run that was lost with its pod is a failure of class `lost`; a run that "
            "a drain cancelled is none. `null` never gives up.",
            10,
            ge=1,
            le=10_000,
        ),
    ] = None

    lost: Annotated[
        LostBackoff,
        about(
            "Waits of a job whose runs are lost with their pods one after another, because it may be what crashes "
            "them. After the first lost run it is due at once.",
            {"first": "1m"},
        ),
    ] = LostBackoff()

    by_class: Annotated[
        bool,
        about(
            "Whether the wait depends on the class of the failure. Otherwise every failed job waits for "
            "its `error_interval`.",
            True,
        ),
    ] = False
    classes: Annotated[
        dict[Name, FailureClass],
        AfterValidator(_ordered),
        about(
            "Failure classes by name. The first class that matches applies; failures of no class wait "
            "for `error_interval`. Four classes are built in and come after the spec's own: `forbidden` "
            "(first: 30m), `throttled` (first: 30s, factor: 2, limit: 10m), `transient` and `server`.",
            {"busy": {"match": ["503"], "backoff": {"first": "30s", "factor": 2, "limit": "10m"}}},
            derived="forbidden, throttled, transient, server",
        ),
    ] = {}
