"""Classes of failures: four are always there, and a spec may say one word of them without losing the rest."""

from __future__ import annotations

from collections.abc import Callable

from penstock.handling.failures import Failure, FailureMatcher
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.values.quantities import Duration

Made = Callable[..., Scheduler]


def class_of(spec: Scheduler, error: BaseException) -> str:
    """The first class that takes it, as the runtime matches."""
    failure = Failure.of(error)
    classes = spec.failures.classes.items()
    return next((name for name, one in classes if FailureMatcher.of(one.match).takes(failure)), "-")


class AnswerError(Exception):
    """As clients of HTTP raise it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def named(name: str) -> Exception:
    """As a cloud's client calls what it raises."""
    made: Exception = type(name, (Exception,), {})()
    return made


def test_each_failure_has_the_class_that_people_expect(scheduler: Made) -> None:
    """By status, by name, by what it derives from; what matches none has no class."""
    spec = scheduler()
    told = {
        class_of(spec, one): name
        for name, one in {
            "403": AnswerError(403),
            "429": AnswerError(429),
            "connection": ConnectionResetError(),
            "503": AnswerError(503),
            "other": LookupError(),
        }.items()
    }
    assert told == {"forbidden": "403", "throttled": "429", "transient": "connection", "server": "503", "-": "other"}
    assert class_of(spec, named("AccessDenied")) == class_of(spec, PermissionError()) == "forbidden"
    assert class_of(spec, named("ThrottlingException")) == class_of(spec, MemoryError()) == "throttled"
    assert class_of(spec, TimeoutError()) == class_of(spec, EOFError()) == "transient"


def test_a_word_about_one_of_them_changes_neither_the_others_nor_their_order(scheduler: Made) -> None:
    """`PermissionError` derives from `OSError`: it stays forbidden whichever of the two a spec speaks of first."""
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
