"""A handler may be any kind of function, and may leave tasks and threads behind."""

from collections.abc import Callable

import pytest
from http_probes import numbers
from ledger import by_message, read
from pipelines import Trial
from servers import wait_for

SPEC = """\
work: {concurrency: 4, lease: 10s}
message:
  correlate: id
  log_fields: [pages]
  schema: {type: object, required: [id], properties: {id: {type: string}, pages: {type: integer}}}
"""
KINDS = {
    "async-model-context": """\
import ledger
from pydantic import BaseModel
from penstock import Context

class Job(BaseModel):
    id: str
    pages: int = 7

async def handle(job: Job, context: Context) -> None:
    ledger.note(f"{type(job).__name__}:{job.pages}:{context.attempt}", job.id, context.fence)
""",
    "async-dataclass": """\
from dataclasses import dataclass
import ledger

@dataclass
class Job:
    id: str
    pages: int = 7

async def handle(job: Job):
    ledger.note(f"{type(job).__name__}:{job.pages}:1", job.id, 1)
""",
    "plain-typeddict-context": """\
from typing import NotRequired, TypedDict
import ledger

class Job(TypedDict):
    id: str
    pages: NotRequired[int]

def handle(job: Job, context):
    ledger.note(f"Job:{job.get('pages', 7)}:{context.attempt}", job["id"], context.fence)
""",
    "plain-bytes": """\
import json
import ledger

def handle(body: bytes):
    job = json.loads(body)
    ledger.note(f"Job:{job.get('pages', 7)}:1", job["id"], 1)
""",
}


@pytest.mark.parametrize("handlers", KINDS.values(), ids=KINDS)
def test_a_handler_gets_the_type_it_declares(make_trial: Callable[..., Trial], handlers: str) -> None:
    """A handler is `async def` or plain; it takes a model, a dataclass, a TypedDict or bytes, maybe with a context."""
    with make_trial(handlers=handlers, spec=SPEC) as trial:
        worker = trial.worker()
        trial.send([{"id": "a"}, {"id": "b", "pages": 3}])
        trial.until_drained()
        assert {line.message: (line.what, line.fence) for line in read(trial.ledger)} == {
            "a": ("Job:7:1", 1),
            "b": ("Job:3:1", 1),
        }
        assert worker.end() == 0


RETURNS = """\
import ledger

class Odd:
    def __eq__(self, other): raise RuntimeError
    __hash__ = None
    def __bool__(self): raise RuntimeError
    def __del__(self): raise RuntimeError

async def other(): ...

def generated(): yield 1

async def handle(message):
    ledger.note("ran", message["id"], 1)
    return {
        "none": None, "false": False, "bytes": b"\\xff", "class": Odd, "odd": Odd(), "error": ValueError("no"),
        "stop": StopIteration(), "generator": generated(), "message": message,
    }[message["id"]]
"""
RETURNED = ("none", "false", "bytes", "class", "odd", "error", "stop", "generator", "message")


def test_any_return_value_settles_the_message(make_trial: Callable[..., Trial]) -> None:
    """The worker ignores the value: only an exception is a failure."""
    with make_trial(handlers=RETURNS, spec="retries: {attempts: 1}") as trial:
        worker = trial.worker()
        trial.send({"id": name} for name in RETURNED)
        trial.until_drained()
        assert {line.message for line in read(trial.ledger)} == set(RETURNED)
        assert trial.dead() == []
        assert worker.end() == 0


THREADS = """\
import logging, threading
import ledger

together = threading.Barrier(4)

async def later(): ...

def handle(message, context):
    if message["id"] == "later":
        return later()
    together.wait(240)
    logging.getLogger("theirs").warning("inside a thread")
    context.log.info("by the context", stage=2)
    ledger.note("met", message["id"], context.fence)
"""


def test_plain_functions_run_at_the_same_time(make_trial: Callable[..., Trial]) -> None:
    """Four of them meet in four threads, and their log lines name their messages.

    One that returns a coroutine has failed, because it has done nothing.
    """
    with make_trial(handlers=THREADS, spec=SPEC + "retries: {attempts: 1}") as trial:
        worker = trial.worker().ready()
        trial.send({"id": name, "pages": 5} for name in ("later", *"abcd"))
        trial.until_drained()
        assert {line.message for line in read(trial.ledger)} == set("abcd")
        for text in ("inside a thread", "by the context"):
            lines = worker.lines_with(text)
            assert {line["correlation"] for line in lines} == set("abcd")
            assert {(line["attempt"], line["pages"]) for line in lines} == {(1, 5)}
            assert len({line["message_id"] for line in lines}) == 4
        assert {line["stage"] for line in worker.lines_with("by the context")} == {2}
        [dead_letter] = trial.dead()
        assert dead_letter["penstock-dead-error"].startswith("TypeError: a plain function returned a coroutine")
        assert worker.end() == 0


AROUND = """\
from contextlib import asynccontextmanager
import asyncio
import ledger
import penstock

class Layer(penstock.Middleware):
    def __init__(self, name):
        self.name = name
    async def before(self, message, context):
        ledger.note(f"before-{self.name}", message["id"], context.fence)
    async def after(self, message, context, result):
        ledger.note(f"after-{self.name}-{result}", message["id"], context.fence)
    async def on_error(self, message, context, error):
        ledger.note(f"error-{self.name}-{type(error).__name__}", message["id"], context.fence)

@asynccontextmanager
async def lifespan():
    ledger.note("entered", "-", 0)
    await asyncio.sleep(0.05)
    yield
    ledger.note("left", "-", 0)

@penstock.handler(middleware=[Layer("outer"), Layer("inner")], lifespan=lifespan)
async def handle(message, context):
    ledger.note("handled", message["id"], context.fence)
    if message["id"] == "bad":
        raise ValueError("no")
    return 5
"""


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_middleware_and_lifespan_surround_attempts(make_trial: Callable[..., Trial], isolation: str) -> None:
    """Middleware surrounds each attempt, the first outermost; a lifespan surrounds all, also in children."""
    spec = f"work: {{concurrency: 1, lease: 10s, isolation: {isolation}}}\nretries: {{attempts: 1}}"
    with make_trial(handlers=AROUND, spec=spec) as trial:
        worker = trial.worker()
        trial.send([{"id": "good"}, {"id": "bad"}])
        trial.until_drained()
        assert worker.end() == 0
        lines = read(trial.ledger)
        runs = [line for line in lines if line.message != "-"]
        assert [line.what for line in runs if line.message == "good"] == [
            *("before-outer", "before-inner", "handled", "after-inner-5", "after-outer-5"),
        ]
        assert [line.what for line in runs if line.message == "bad"] == [
            *("before-outer", "before-inner", "handled", "error-inner-ValueError", "error-outer-ValueError"),
        ]
        [pid] = {line.pid for line in runs}
        around = [line.what for line in lines if line.pid == pid and line.message == "-"]
        assert (around, lines[0].what, lines[-1].what) == (["entered", "left"], "entered", "left")
        assert (pid == worker.process.pid) == (isolation == "none")


LEAKS = """\
import asyncio, sys, threading, time
import ledger

async def deaf():
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

async def dies():
    raise SystemExit(9)

async def handle(message, context):
    asyncio.create_task(deaf())
    asyncio.create_task(dies())
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    threading.Thread(target=time.sleep, args=(600,)).start()
    print("printed", message["id"])
    ledger.note("ran", message["id"], context.fence)
"""


def test_leftover_tasks_and_threads_do_not_stop_the_worker(make_trial: Callable[..., Trial]) -> None:
    """Despite tasks that ignore cancellation and endless threads, the worker continues, and stops on SIGTERM."""
    with make_trial(handlers=LEAKS) as trial:
        worker = trial.worker().ready()
        trial.send({"id": f"m{number}"} for number in range(5))
        trial.until_drained()
        assert worker.process.poll() is None
        wait_for(lambda: numbers(worker).of("done") == 5, "the worker has done all messages")
        assert worker.end() == 0
        assert len(by_message(read(trial.ledger), "ran")) == 5
        assert worker.log().count("printed m") == 5, "printed lines are not lost"
        assert trial.live_consumers() == []
