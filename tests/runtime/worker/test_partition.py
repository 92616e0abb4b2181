"""A worker that cannot renew its lease learns in time that others may run its messages."""

import signal
from collections.abc import Callable

import pytest
from faulty_connection import Cable
from http_probes import numbers, page, until_counted
from ledger import by_message, read
from pipelines import Trial
from servers import Server, wait_for

from penstock.observe.events import Event

POLLING = """\
import asyncio, pathlib, time
import ledger

async def handle(message, context):
    said = None
    try:
        while not pathlib.Path("released").exists():
            if context.lost != said:
                said = context.lost
                ledger.note(f"lost-{said}", message["id"], context.fence)
            await asyncio.sleep(0.02)
    finally:
        ledger.note(f"end-{context.lost}", message["id"], context.fence)
"""
PLAIN = """\
import pathlib, time
import ledger

def handle(message, context):
    said = None
    while not pathlib.Path("released").exists():
        if context.lost != said:
            said = context.lost
            ledger.note(f"lost-{said}", message["id"], context.fence)
        time.sleep(0.02)
    ledger.note(f"end-{context.lost}", message["id"], context.fence)
"""
BLOCKING = """
from penstock.worker import registration

async def renew(self, consumer, lease):
    time.sleep(600)

registration.ConsumerRegistration.renew = renew
"""
NOT_READY = (503, "not ready: the lease may have expired\n")


def notes(trial: Trial, what: str, worker: str = "") -> list[str]:
    """The messages whose handlers noted this."""
    return [line.message for line in read(trial.ledger) if line.what == what and worker in ("", line.worker)]


@pytest.mark.parametrize("when_lost", ["cancel", "continue"])
def test_a_partitioned_worker_knows_that_it_may_be_lost(
    make_server_trial: Callable[..., Trial], server: Server, when_lost: str
) -> None:
    """Before another worker runs its message, `context.lost` is true, the worker is not ready, and counts it."""
    spec = f"work: {{lease: 10s, timeout: 300s, when_lost: {when_lost}}}\nshutdown: {{grace: 320s}}\n"
    with make_server_trial(handlers=POLLING, spec=spec) as trial, Cable(server.port) as cable:
        cut = trial.start("worker", "trial", "--redis", f"redis://{cable.address}", "--listen", "127.0.0.1:0").ready()
        trial.send([{"id": "a"}])
        wait_for(lambda: notes(trial, "lost-False"), "the message runs")
        other = trial.worker().ready()
        cable.hold_all()
        cut.until(Event.LEASE_EXPIRED)
        assert page(cut, "/readyz") == NOT_READY
        until_counted(cut, "lease_expired", 1)
        wait_for(lambda: notes(trial, "lost-False", other.name), "the other worker runs it")
        lines = read(trial.ledger)
        [told] = [line for line in lines if line.worker == cut.name and line.what in ("lost-True", "end-True")][:1]
        [began] = [line for line in lines if line.worker == other.name][:1]
        assert told.at < began.at
        if when_lost == "continue":
            assert not notes(trial, "end-True", cut.name), "it runs on"
        (trial.folder / "released").touch()
        trial.until_drained()
        wait_for(lambda: notes(trial, "end-True", cut.name), "the handler ends, and knows")
        cable.mend()
        cut.until(Event.CONSUMER_JOINED, times=2)
        wait_for(lambda: page(cut, "/readyz")[0] == 200, "it is ready again")
        assert len(cut.events(Event.LEASE_LOST)) == 1
        assert not cut.events(Event.LEASE_RENEWED_LATE)
        assert cut.end() == other.end() == 0
        assert trial.dead() == []
        trial.assert_nothing_left()


@pytest.mark.parametrize("when_lost", ["cancel", "continue"])
def test_a_late_renewal_is_told(make_server_trial: Callable[..., Trial], server: Server, when_lost: str) -> None:
    """If Redis itself was away, nobody took over: the worker is ready again, and `context.lost` is false again."""
    spec = f"work: {{lease: 10s, timeout: 300s, when_lost: {when_lost}}}\nshutdown: {{grace: 320s}}\n"
    with make_server_trial(handlers=POLLING, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "a"}])
        wait_for(lambda: notes(trial, "lost-False"), "the message runs")
        consumers = trial.live_consumers()
        server.pause()
        worker.until(Event.LEASE_EXPIRED)
        assert page(worker, "/readyz") == NOT_READY
        wait_for(lambda: notes(trial, "lost-True") or notes(trial, "end-True"), "the handler knows")
        server.resume()
        worker.until(Event.LEASE_RENEWED_LATE)
        wait_for(lambda: page(worker, "/readyz")[0] == 200, "it is ready again")
        assert trial.live_consumers() == consumers
        wait_for(lambda: notes(trial, "lost-False") == ["a", "a"], "it runs on, or runs again")
        assert notes(trial, "end-True") == (["a"] if when_lost == "cancel" else [])
        (trial.folder / "released").touch()
        trial.until_drained()
        assert notes(trial, "end-False") == ["a"]
        until_counted(worker, "done", 1)
        counts = numbers(worker)
        assert (counts.of("lease_expired"), counts.of("lease_lost"), counts.of("fenced")) == (1, 0, 0)
        assert worker.end() == 0
        assert trial.dead() == []
        trial.assert_nothing_left()


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_handler_judges_by_itself(make_trial: Callable[..., Trial], isolation: str) -> None:
    """A plain function learns of the lease while all loops of its worker are blocked or suspended."""
    handlers = PLAIN if isolation == "process" else PLAIN + BLOCKING
    spec = f"work: {{lease: 10s, timeout: 300s, isolation: {isolation}}}\nshutdown: {{grace: 320s}}\n"
    with make_trial(handlers=handlers, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "a"}])
        wait_for(lambda: notes(trial, "lost-False"), "the message runs")
        if isolation == "process":
            worker.signal(signal.SIGSTOP)
        wait_for(lambda: notes(trial, "lost-True"), "the handler knows")
        if isolation == "process":
            assert not worker.events(Event.LEASE_EXPIRED), "its worker cannot know yet"
            worker.signal(signal.SIGCONT)
            (trial.folder / "released").touch()
            trial.until_drained()
            assert worker.end() == 0
        else:
            worker.until(Event.LEASE_EXPIRED)
            (trial.folder / "released").touch()


def test_a_resumed_worker_starts_nothing_that_others_run(make_trial: Callable[..., Trial]) -> None:
    """What was delivered before a suspension for longer than the lease is given back, not started."""
    with make_trial(spec="work: {concurrency: 4, lease: 10s, block: 50s}\n") as trial:
        sleeper = trial.worker().ready()
        [consumer] = trial.live_consumers()
        wait_for(lambda: "blocked_clients:0" not in str(trial.ask("INFO", "clients")), "its read waits in Redis")
        sleeper.signal(signal.SIGSTOP)
        trial.send({"id": f"m{number}"} for number in range(4))
        assert trial.ask("XPENDING", "trial", "trial", "-", "+", 10, consumer), "delivered to the suspended worker"
        other = trial.worker().ready()
        wait_for(lambda: len(by_message(read(trial.ledger), "end")) == 4, "the other worker ran them")
        sleeper.signal(signal.SIGCONT)
        sleeper.until(Event.CONSUMER_JOINED, times=2)
        trial.send([{"id": "fresh"}])
        trial.until_drained()
        assert {line.worker for line in read(trial.ledger) if line.message != "fresh"} == {other.name}
        assert consumer not in trial.live_consumers()
        assert sleeper.end() == other.end() == 0
        trial.assert_nothing_left()
