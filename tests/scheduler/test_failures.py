"""Four failure classes are built in, and a spec can override single fields of them."""

from __future__ import annotations

from collections.abc import Callable

from penstock.handling.failures import Failure, FailureMatcher
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.values.quantities import Duration

Made = Callable[..., Scheduler]


def class_of(spec: Scheduler, error: BaseException) -> str:
    """The first class that matches, as in the runtime."""
    failure = Failure.of(error)
    classes = spec.failures.classes.items()
    return next((name for name, one in classes if FailureMatcher.of(one.match).matches(failure)), "-")


class AnswerError(Exception):
    """An error as HTTP clients raise it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def named(name: str) -> Exception:
    """An error with this type name, as clients of cloud APIs raise it."""
    error: Exception = type(name, (Exception,), {})()
    return error


def test_failures_match_the_expected_classes(scheduler: Made) -> None:
    """By status, name or base class. Other failures have no class."""
    spec = scheduler()
    classes = {
        class_of(spec, one): name
        for name, one in {
            "403": AnswerError(403),
            "429": AnswerError(429),
            "connection": ConnectionResetError(),
            "503": AnswerError(503),
            "other": LookupError(),
        }.items()
    }
    assert classes == {"forbidden": "403", "throttled": "429", "transient": "connection", "server": "503", "-": "other"}
    assert class_of(spec, named("AccessDenied")) == class_of(spec, PermissionError()) == "forbidden"
    assert class_of(spec, named("ThrottlingException")) == class_of(spec, MemoryError()) == "throttled"
    assert class_of(spec, TimeoutError()) == class_of(spec, EOFError()) == "transient"


def test_overriding_a_class_keeps_its_other_fields_and_the_order(scheduler: Made) -> None:
    """`PermissionError` is an `OSError`, but stays `forbidden`, whichever class the spec overrides first."""
    spec = scheduler(
        failures={
            "classes": {
                "transient": {"immediate": 2},
                "throttled": {"backoff": {"limit": "5m"}},
                "busy": {"match": ["503"], "backoff": {"first": "1m"}},
            }
        }
    )
    assert list(spec.failures.classes) == ["busy", "forbidden", "throttled", "transient", "server"]
    assert class_of(spec, PermissionError()) == "forbidden"
    assert class_of(spec, AnswerError(503)) == "busy"
    assert spec.failures.classes["transient"].immediate == 2
    throttled = spec.failures.classes["throttled"].backoff
    assert throttled is not None
    assert (throttled.first, throttled.factor, throttled.limit) == (Duration("30s"), 2, Duration("5m"))
