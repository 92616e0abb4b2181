"""A handler may raise any exception."""

from collections.abc import Callable

import pytest
from http_probes import numbers, until_counted
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

SPEC = """\
work: {concurrency: 16, lease: 10s}
retries: {attempts: 2, backoff: {first: 50ms}}
"""
ISOLATED = SPEC.replace("concurrency: 16", "concurrency: 2, isolation: process")
ASYNC = """\
import asyncio

class Own(BaseException):
    pass

class Untold(Exception):
    def __str__(self):
        raise RuntimeError("not even this")

def deep():
    return deep()

async def handle(message):
    match message["id"]:
        case "ValueError": raise ValueError("plain")
        case "SystemExit": raise SystemExit(3)
        case "KeyboardInterrupt": raise KeyboardInterrupt
        case "GeneratorExit": raise GeneratorExit
        case "CancelledError": raise asyncio.CancelledError
        case "StopIteration": raise StopIteration(1)
        case "StopAsyncIteration": raise StopAsyncIteration
        case "Untold": raise Untold
        case "Own": raise Own("a class of its own")
        case "ExceptionGroup": raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
        case "BaseExceptionGroup": raise BaseExceptionGroup("several", [KeyboardInterrupt()])
        case "TimeoutError": raise TimeoutError
        case "MemoryError": raise MemoryError
        case "RecursionError": deep()
"""
PLAIN = ASYNC.replace("async def handle", "def handle")
RAISED = {
    "ValueError": "ValueError: plain",
    "SystemExit": "SystemExit: 3",
    "KeyboardInterrupt": "KeyboardInterrupt",
    "GeneratorExit": "GeneratorExit",
    "CancelledError": "asyncio.exceptions.CancelledError",
    "StopIteration": "RuntimeError: ",
    "StopAsyncIteration": "StopAsyncIteration",
    "Untold": "handlers.Untold: (its text cannot be read)",
    "Own": "handlers.Own: a class of its own",
    "ExceptionGroup": "ExceptionGroup: several (2 sub-exceptions)",
    "BaseExceptionGroup": "BaseExceptionGroup: several (1 sub-exception)",
    "TimeoutError": "TimeoutError",
    "MemoryError": "MemoryError",
    "RecursionError": "RecursionError: maximum recursion depth exceeded",
}


@pytest.mark.parametrize(
    ("handlers", "spec"), [(ASYNC, SPEC), (PLAIN, SPEC), (ASYNC, ISOLATED)], ids=["async", "plain", "process"]
)
def test_any_exception_is_a_failed_attempt(make_trial: Callable[..., Trial], handlers: str, spec: str) -> None:
    """The last attempt creates a dead letter with the error, and the worker continues."""
    with make_trial(handlers=handlers, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send({"id": name} for name in RAISED)
        trial.until_drained()

        dead = {dead_letter["data"]: dead_letter for dead_letter in trial.dead()}
        assert set(dead) == {f'{{"id": "{name}"}}' for name in RAISED}
        for name, text in RAISED.items():
            dead_letter = dead[f'{{"id": "{name}"}}']
            assert dead_letter["penstock-dead-error"].startswith(text), dead_letter
            assert (dead_letter["penstock-dead-attempts"], dead_letter["penstock-dead-reason"]) == ("2", "failed")
        assert len(worker.events(Event.MESSAGE_FAILED)) == 2 * len(RAISED)
        wait_for(lambda: numbers(worker).by("dead", "reason") == {"failed": len(RAISED)}, "all deaths are counted")
        assert numbers(worker).by("retried", "class") == {"-": len(RAISED)}
        assert worker.end() == 0
        trial.assert_nothing_left()


OWN = """\
import penstock

class Mine(penstock.Retry):
    def __init__(self):
        pass

class Theirs(penstock.Retry):
    def __init__(self):
        self.wait_ms = "30s"

class Liar(Exception):
    @property
    def __class__(self):
        raise RuntimeError("not even this")

async def handle(message):
    raise {"Mine": Mine, "Theirs": Theirs, "Liar": Liar}[message["id"]]
"""


def test_a_malformed_exception_is_a_failed_attempt(make_trial: Callable[..., Trial]) -> None:
    """No message is lost by a retry without its `__init__` or with a wait of another type, or a class that lies."""
    with make_trial(handlers=OWN, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send({"id": name} for name in ("Mine", "Theirs", "Liar"))
        trial.until_drained()
        dead = {dead_letter["data"]: dead_letter["penstock-dead-error"] for dead_letter in trial.dead()}
        assert dead == {
            '{"id": "Mine"}': "handlers.Mine",
            '{"id": "Theirs"}': "handlers.Theirs",
            '{"id": "Liar"}': "Exception: (its text cannot be read)",
        }
        assert len(worker.events(Event.MESSAGE_NOT_CLASSIFIED)) == 2
        until_counted(worker, "slots_free", 16)
        assert worker.end() == 0
        trial.assert_nothing_left()
