"""What a handler may be, what it gets, and what it may leave behind."""

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
def test_a_handler_gets_the_type_it_declares(trial: Callable[..., Trial], handlers: str) -> None:
    """`async def` or plain; a model, a dataclass, a TypedDict or the bytes; with a context or without."""
    with trial(handlers=handlers, spec=SPEC) as one:
        worker = one.worker()
        one.send([{"id": "a"}, {"id": "b", "pages": 3}])
        one.until_drained()
        assert {line.message: (line.what, line.fence) for line in read(one.ledger)} == {
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


def test_any_return_value_settles_the_message(trial: Callable[..., Trial]) -> None:
    """Nobody reads the value: only an exception is a failure."""
    with trial(handlers=RETURNS, spec="retries: {attempts: 1}") as one:
        worker = one.worker()
        one.send({"id": name} for name in RETURNED)
        one.until_drained()
        assert {line.message for line in read(one.ledger)} == set(RETURNED)
        assert one.dead() == []
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


def test_plain_functions_run_at_the_same_time(trial: Callable[..., Trial]) -> None:
    """Four of them meet in four threads, and their log lines say which message they are about.

    One that returns a coroutine has failed, as it has done nothing.
    """
    with trial(handlers=THREADS, spec=SPEC + "retries: {attempts: 1}") as one:
        worker = one.worker().ready()
        one.send({"id": name, "pages": 5} for name in ("later", *"abcd"))
        one.until_drained()
        assert {line.message for line in read(one.ledger)} == set("abcd")
        for said in ("inside a thread", "by the context"):
            lines = worker.lines_with(said)
            assert {line["correlation"] for line in lines} == set("abcd")
            assert {(line["attempt"], line["pages"]) for line in lines} == {(1, 5)}
            assert len({line["message_id"] for line in lines}) == 4
        assert {line["stage"] for line in worker.lines_with("by the context")} == {2}
        [letter] = one.dead()
        assert letter["penstock-dead-error"].startswith("TypeError: a plain function returned a coroutine")
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
def test_middleware_and_lifespan(trial: Callable[..., Trial], isolation: str) -> None:
    """Middleware surrounds each attempt, the first outermost; a lifespan surrounds them all, in children too."""
    spec = f"work: {{concurrency: 1, lease: 10s, isolation: {isolation}}}\nretries: {{attempts: 1}}"
    with trial(handlers=AROUND, spec=spec) as one:
        worker = one.worker()
        one.send([{"id": "good"}, {"id": "bad"}])
        one.until_drained()
        assert worker.end() == 0
        lines = read(one.ledger)
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


def test_tasks_and_threads_left_behind_do_not_keep_the_worker(trial: Callable[..., Trial]) -> None:
    """Tasks that ignore cancellation and threads that never end: the worker works on, and stops on SIGTERM."""
    with trial(handlers=LEAKS) as one:
        worker = one.worker().ready()
        one.send({"id": f"m{number}"} for number in range(5))
        one.until_drained()
        assert worker.process.poll() is None
        wait_for(lambda: numbers(worker).of("done") == 5, "it is alive, and has done them")
        assert worker.end() == 0
        assert len(by_message(read(one.ledger), "ran")) == 5
        assert worker.log().count("printed m") == 5, "what was printed is not lost"
        assert one.live_consumers() == []
