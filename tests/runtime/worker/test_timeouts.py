"""A worker ends attempts that exceed their timeout."""

from collections.abc import Callable

from http_probes import numbers, until_counted
from ledger import Line, by_message, read
from pipelines import Trial
from servers import wait_for

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if context.attempt == 1:
        await late(message["id"])
    ledger.note("end", message["id"], context.fence)

async def late(name):
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        ledger.note("cancelled", name, 0)
        match name:
            case "heeds":
                raise
            case "complains":
                raise RuntimeError("how dare you")
            case "finishes":
                return
    while not pathlib.Path("released").exists():
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            pass
"""
SPEC = """\
work: {concurrency: 4, lease: 10s, timeout: 1s}
retries: {attempts: 2, backoff: {first: 100ms}, classes: {late: {match: [TimeoutError], attempts: 3}}}
"""


def lines(trial: Trial, what: str) -> dict[str, list[Line]]:
    return by_message(read(trial.ledger), what)


def test_a_coroutine_is_cancelled_at_its_timeout(make_trial: Callable[..., Trial]) -> None:
    """The attempt has failed, whatever the coroutine raises, and also if it returns.

    A coroutine that ignores the cancellation is abandoned: it keeps its slot, and its message runs elsewhere.
    """
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send({"id": name} for name in ("heeds", "complains", "finishes", "deaf"))
        three = ("heeds", "complains", "finishes")
        wait_for(lambda: all(len(lines(trial, "start").get(name, ())) == 2 for name in three), "three are retried")
        wait_for(
            lambda: set(lines(trial, "cancelled")) == {"heeds", "complains", "finishes", "deaf"},
            "all four are cancelled",
        )

        trial.until_drained()
        until_counted(worker, "retried", 4, **{"class": "late"})
        until_counted(worker, "timeouts", 4)
        assert [line.what for line in read(trial.ledger) if line.message == "deaf"] == [
            *("start", "cancelled", "start", "end"),
        ]
        until_counted(worker, "abandoned", 1)
        until_counted(worker, "slots_free", 3)
        assert numbers(worker).by("handling", "outcome") == {"timed_out": 4, "done": 4}
        (trial.folder / "released").touch()
        until_counted(worker, "abandoned", 0)
        until_counted(worker, "slots_free", 4)
        assert worker.end() == 0
        trial.assert_nothing_left()


THREAD = """\
import pathlib, time
import ledger

def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if message["id"] == "deaf" and context.attempt == 1:
        while not pathlib.Path("released").exists():
            time.sleep(0.02)
        ledger.note("cancelled" if context.cancelled else "unaware", message["id"], context.fence)
    ledger.note("end", message["id"], context.fence)
"""


def test_a_thread_keeps_its_slot_until_it_ends(make_trial: Callable[..., Trial]) -> None:
    """A thread cannot be cancelled: the message runs elsewhere, and nothing new starts in that slot."""
    spec = SPEC.replace("concurrency: 4", "concurrency: 1")
    with make_trial(handlers=THREAD, spec=spec) as trial:
        first = trial.worker().ready()
        trial.send([{"id": "deaf"}])
        until_counted(first, "abandoned", 1)
        trial.send([{"id": "next"}])
        second = trial.worker().ready()
        trial.until_drained()
        assert {line.worker for line in lines(trial, "end")["next"]} == {second.name}
        assert [(line.worker, line.what) for line in read(trial.ledger) if line.message == "deaf"] == [
            *((first.name, "start"), (second.name, "start"), (second.name, "end")),
        ]
        assert numbers(first).of("slots_free") == 0
        (trial.folder / "released").touch()
        until_counted(first, "abandoned", 0)
        until_counted(first, "slots_free", 1)
        wait_for(lambda: lines(trial, "cancelled"), "the thread sees its cancellation")
        assert numbers(first).by("retried", "class") == {"late": 1}
        assert second.end() == 0
        trial.send([{"id": "last"}])
        trial.until_drained()
        assert {line.worker for line in lines(trial, "end")["last"]} == {first.name}
        assert first.end() == 0
        trial.assert_nothing_left()


def test_a_timeout_may_settle_a_message(make_trial: Callable[..., Trial]) -> None:
    """With `on_timeout: finish`, a late message is worthless and counts as done."""
    spec = SPEC.replace("timeout: 1s", "timeout: 1s, on_timeout: finish")
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "heeds"}, {"id": "complains"}])
        trial.until_drained()
        assert {name: len(began) for name, began in lines(trial, "start").items()} == {"heeds": 1, "complains": 1}
        until_counted(worker, "done", 2)
        counts = numbers(worker)
        assert (counts.of("timeouts"), counts.of("retried"), counts.of("dead")) == (2, 0, 0)
        assert worker.end() == 0
        trial.assert_nothing_left()


RECORDING = THREAD.replace(
    "def handle(",
    """import penstock

class Recorder(penstock.Middleware):
    async def on_error(self, message, context, error):
        ledger.note(f"error-{type(error).__name__}", message["id"], context.fence)

@penstock.handler(middleware=[Recorder()])
def handle(""",
)


def test_middleware_is_not_called_for_an_abandoned_thread(make_trial: Callable[..., Trial]) -> None:
    """A cancelled attempt calls neither `after` nor `on_error`, for any kind of function."""
    with make_trial(handlers=RECORDING, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "deaf"}])
        trial.until_drained()
        (trial.folder / "released").touch()
        wait_for(lambda: lines(trial, "cancelled"), "the thread sees its cancellation")
        assert {line.what for line in read(trial.ledger)} == {"start", "cancelled", "end"}
        assert worker.end() == 0
