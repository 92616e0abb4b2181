"""With `isolation: process`, a handler can harm only its own process."""

from collections.abc import Callable

from http_probes import numbers, until_counted
from ledger import by_message, read
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import ctypes, logging, os, time
import ledger

def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    match message["id"].rstrip("0123456789"):
        case "exits":
            os._exit(3)
        case "crashes":
            ctypes.string_at(0)
        case "grows":
            bytearray(2 << 30)
        case "blocks":
            time.sleep(600)
        case "tells":
            context.progress("halfway", done=1, total=2)
            logging.getLogger("theirs").warning("in a child")
            context.leave({"pages": 3}, keep="10m")
    ledger.note("end", message["id"], context.fence)
"""
SPEC = """\
work: {concurrency: 2, lease: 10s, timeout: 2s, isolation: process, memory_limit: 400Mi}
resources: {memory: 2Gi}
retries: {attempts: 2, backoff: {first: 50ms}}
message: {correlate: id, log_fields: [id]}
"""
BAD = ("exits", "crashes", "grows", "blocks")


def test_a_message_harms_only_itself(make_trial: Callable[..., Trial]) -> None:
    """An exit, a segmentation fault, too much memory or a block beyond the timeout is just a failed attempt."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        good = [f"good{number}" for number in range(20)]
        trial.send({"id": name} for name in (*good[:10], *BAD, *good[10:]))
        trial.until_drained()

        lines = read(trial.ledger)
        ends = by_message(lines, "end")
        assert set(ends) == set(good)
        assert all(len(line) == 1 for line in ends.values()), "no message is done twice"
        starts = by_message(lines, "start")
        assert {name: len(starts[name]) for name in BAD} == dict.fromkeys(BAD, 2), "each has two attempts"
        assert worker.process.pid not in {line.pid for line in lines}
        assert len({ends[name][0].pid for name in good}) < len(good), "children run several messages"
        errors = {dead_letter["data"]: dead_letter["penstock-dead-error"] for dead_letter in trial.dead()}
        for name, text in zip(
            BAD,
            (
                "penstock.Crash: it ended with",
                "penstock.Crash: ",
                "MemoryError",
                "TimeoutError: it took longer than 2s",
            ),
            strict=True,
        ):
            assert text in errors[f'{{"id": "{name}"}}'], errors
        until_counted(worker, "dead", 4)
        assert numbers(worker).by("dead", "reason") == {"failed": 4}
        assert numbers(worker).by("handling", "outcome") == {"done": 20, "crashed": 4, "failed": 2, "timed_out": 2}
        assert numbers(worker).of("children_crashed") == 4
        assert numbers(worker).of("timeouts") == 2
        for line in worker.events(Event.MESSAGE_CRASHED):
            assert line["correlation"] in {"exits", "crashes"}
        trial.send([{"id": "good20"}])
        trial.until_drained()
        wait_for(lambda: 1 <= numbers(worker).of("children") <= 2, "children wait for the next message")
        assert numbers(worker).of("children_started") >= 4
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_a_child_logs_like_the_worker(make_trial: Callable[..., Trial]) -> None:
    """Lines have its own process id and the message's fields; a result is written with the settle."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "tells"}])
        wait_for(lambda: by_message(read(trial.ledger), "end"), "the message is done")
        trial.until_drained()
        [line] = worker.lines_with("in a child")
        [end] = by_message(read(trial.ledger), "end")["tells"]
        assert (line["pid"], line["correlation"], line["id"], line["attempt"]) == (end.pid, "tells", "tells", 1)
        assert line["consumer"] == worker.events(Event.CONSUMER_JOINED)[0]["consumer"]
        key = f"{{trial}}:trial:result:{line['message_id']}"
        assert trial.ask("GET", key) == '{"pages":3}'
        assert 0 < trial.number("PTTL", key) <= 600_000
        assert worker.end() == 0


NEEDS = """\
from contextlib import asynccontextmanager
import pathlib
import ledger
import penstock

@asynccontextmanager
async def needs():
    ledger.note("enters", "-", 0)
    if pathlib.Path("broken").exists():
        raise ConnectionError("no database")
    yield

@penstock.handler(lifespan=needs)
def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", message["id"], context.fence)
"""


def test_a_lifespan_that_fails_in_a_child_charges_no_attempt(make_trial: Callable[..., Trial]) -> None:
    """Each slot gives back one message a second, and one log line reports it.

    The worker's own process does not enter the lifespan, because no message runs there.
    """
    with make_trial(handlers=NEEDS, spec=SPEC.replace("attempts: 2", "attempts: 1")) as trial:
        (trial.folder / "broken").touch()
        worker = trial.worker().ready()
        trial.send({"id": f"m{number}"} for number in range(20))
        wait_for(lambda: numbers(worker).of("given_back", why="unstarted") >= 4, "the worker retries")
        until_counted(worker, "slots_free", 0)
        (trial.folder / "broken").unlink()
        trial.until_drained()
        lines = read(trial.ledger)
        assert len(by_message(lines, "attempt-1")) == 20
        assert worker.process.pid not in {line.pid for line in lines}
        assert trial.dead() == []
        [failed] = worker.events(Event.ISOLATION_FAILED)
        assert failed["error"] == "its `lifespan` failed to start: ConnectionError: no database (handlers.py:10)"
        assert len(worker.events(Event.ISOLATION_RECOVERED)) == 1
        assert worker.end() == 0
        trial.assert_nothing_left()
