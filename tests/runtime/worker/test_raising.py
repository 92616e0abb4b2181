"""Handlers may raise anything."""

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
APART = SPEC.replace("concurrency: 16", "concurrency: 2, isolation: process")
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
    ("handlers", "spec"), [(ASYNC, SPEC), (PLAIN, SPEC), (ASYNC, APART)], ids=["async", "plain", "process"]
)
def test_any_exception_is_a_failed_attempt(trial: Callable[..., Trial], handlers: str, spec: str) -> None:
    """The last attempt makes a dead letter that says why, and the worker goes on."""
    with trial(handlers=handlers, spec=spec) as one:
        worker = one.worker().ready()
        one.send({"id": name} for name in RAISED)
        one.until_drained()

        dead = {letter["data"]: letter for letter in one.dead()}
        assert set(dead) == {f'{{"id": "{name}"}}' for name in RAISED}
        for name, says in RAISED.items():
            letter = dead[f'{{"id": "{name}"}}']
            assert letter["penstock-dead-error"].startswith(says), letter
            assert (letter["penstock-dead-attempts"], letter["penstock-dead-reason"]) == ("2", "failed")
        assert len(worker.events(Event.MESSAGE_FAILED)) == 2 * len(RAISED)
        wait_for(lambda: numbers(worker).by("dead", "reason") == {"failed": len(RAISED)}, "all deaths are counted")
        assert numbers(worker).by("retried", "class") == {"-": len(RAISED)}
        assert worker.end() == 0
        one.assert_nothing_left()


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


def test_a_malformed_exception_is_a_failed_attempt(trial: Callable[..., Trial]) -> None:
    """A retry without its `__init__`, one with a wait of another type, a class that lies: no message is lost."""
    with trial(handlers=OWN, spec=SPEC) as one:
        worker = one.worker().ready()
        one.send({"id": name} for name in ("Mine", "Theirs", "Liar"))
        one.until_drained()
        dead = {letter["data"]: letter["penstock-dead-error"] for letter in one.dead()}
        assert dead == {
            '{"id": "Mine"}': "handlers.Mine",
            '{"id": "Theirs"}': "handlers.Theirs",
            '{"id": "Liar"}': "Exception: (its text cannot be read)",
        }
        assert len(worker.events(Event.MESSAGE_NOT_CLASSIFIED)) == 2
        until_counted(worker, "slots_free", 16)
        assert worker.end() == 0
        one.assert_nothing_left()
