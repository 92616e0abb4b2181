"""A worker drains: it stops reading, finishes or gives back its messages, and exits."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from consumer_leases import take_over
from http_probes import numbers, page
from ledger import by_message, read
from patience import PATIENCE
from pipelines import Process, Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", message["id"], context.fence)
    context.progress(message["id"], done=1, total=3)
    while not pathlib.Path(f"free-{message['id']}").exists():
        await asyncio.sleep(0.02)
    ledger.note("end", message["id"], context.fence)
"""


class Sidecar(BaseHTTPRequestHandler):
    """Records its requests and answers 200; on `/rude` the answer is not HTTP."""

    requests: list[str]

    def do_POST(self) -> None:
        self.requests.append(self.path)
        if self.path == "/rude":
            self.wfile.write(b"what do you want?\r\n\r\n")
        else:
            self.send_response(200)
            self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def sidecar() -> Iterator[tuple[str, list[str]]]:
    """Run a sidecar; yield its address and the requested paths."""
    requests: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Sidecar,), {"requests": requests}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.wire
def test_a_drain_has_three_phases(make_trial: Callable[..., Trial]) -> None:
    """The worker is unready at once, takes nothing new, logs its progress, and leaves nothing behind."""
    with sidecar() as (url, requests):
        spec = f"work: {{concurrency: 4, lease: 10s}}\nshutdown: {{progress: 1s, sidecar_quit_url: '{url}/quit'}}\n"
        with make_trial(handlers=HANDLERS, spec=spec) as trial:
            worker = trial.worker().ready()
            trial.send({"id": name} for name in "abc")
            wait_for(lambda: len(read(trial.ledger)) == 3, "three messages run")
            assert page(worker, "/readyz")[0] == 200
            worker.signal(signal.SIGTERM)
            worker.until(Event.DRAIN_WAITING)
            assert page(worker, "/readyz")[0] == 503
            assert page(worker, "/livez")[0] == 200
            trial.send([{"id": "late"}])
            assert numbers(worker).of("draining") == 1
            for left, name in ((2, "a"), (1, "b")):
                (trial.folder / f"free-{name}").touch()
                wait_for(lambda left=left: running(worker)[-1] == left, "the worker logs it")  # type: ignore[misc] # a loop variable
            wait_for(lambda: len(running(worker)) > 4, "the worker also logs without a change")
            assert requests == []
            (trial.folder / "free-c").touch()
            assert worker.process.wait(PATIENCE) == 0

            events = [line["event"] for line in worker.lines() if line["logger"] == "penstock.worker"]
            assert [event for event in events if event != Event.DRAIN_WAITING][-4:] == [
                *(Event.SIGNAL_RECEIVED, Event.DRAIN_STARTED, Event.DRAIN_FINISHED, Event.WORKER_STOPPED),
            ]
            first = worker.events(Event.DRAIN_WAITING)[0]
            assert (first["running"], first["progress"]) == (3, "1 of 3, a; 1 of 3, b; 1 of 3, c")
            assert set(by_message(read(trial.ledger), "end")) == set("abc")
            assert trial.left() == 1
            assert trial.live_consumers() == []
            assert requests == ["/quit"]
            trial.assert_nothing_left()


def test_a_drain_of_many_handlers_logs_few_lines(make_trial: Callable[..., Trial]) -> None:
    """One line while it waits, whatever ends meanwhile, and one with the counts at the end."""
    with make_trial(handlers=HANDLERS, spec="work: {concurrency: 20, lease: 10s}\n") as trial:
        worker = trial.worker().ready()
        names = [f"m{number}" for number in range(20)]
        trial.send({"id": name} for name in names)
        wait_for(lambda: len(read(trial.ledger)) == 20, "all messages run")
        worker.signal(signal.SIGTERM)
        worker.until(Event.DRAIN_WAITING)
        for done, name in enumerate(names, 1):
            (trial.folder / f"free-{name}").touch()
            wait_for(lambda done=done: len(by_message(read(trial.ledger), "end")) == done, "it ends")  # type: ignore[misc] # a loop variable
        assert worker.process.wait(PATIENCE) == 0
        assert running(worker)[0] == 20
        assert len(running(worker)) < 10
        [line] = worker.events(Event.DRAIN_FINISHED)
        assert (line["finished"], line["given_back"]) == (20, 0)


def running(worker: Process) -> list[int]:
    """The numbers of running messages that it logged, in order."""
    return [line["running"] for line in worker.events(Event.DRAIN_WAITING)]


def test_a_broken_sidecar_does_not_stop_the_shutdown(make_trial: Callable[..., Trial]) -> None:
    """The worker exits with 0 although the sidecar's answer is not HTTP."""
    with sidecar() as (url, requests):
        spec = f"shutdown: {{sidecar_quit_url: '{url}/rude'}}\n"
        with make_trial(handlers=HANDLERS, spec=spec) as trial:
            worker = trial.worker().ready()
            assert worker.end() == 0
            assert requests == ["/rude"]
            worker.until(Event.SIDECAR_STOP_FAILED)


CANNOT_END = {
    "async": """\
import asyncio
import ledger

async def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", message["id"], context.fence)
    while context.fence < 2:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            if message["id"] == "heeds":
                raise
            if message["id"] == "echoes":
                raise ValueError
    ledger.note("end", message["id"], context.fence)
""",
    "thread": """\
import time
import ledger

def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", message["id"], context.fence)
    if context.fence < 2:
        time.sleep(600)
    ledger.note("end", message["id"], context.fence)
""",
}
CANNOT_END["process"] = CANNOT_END["thread"]


@pytest.mark.parametrize("kind", CANNOT_END)
def test_messages_that_exceed_the_grace_period_are_given_back(make_trial: Callable[..., Trial], kind: str) -> None:
    """At grace minus margin the worker cancels them; the attempt is not charged and runs again elsewhere."""
    isolation = "process" if kind == "process" else "none"
    spec = f"""\
work: {{concurrency: 3, lease: 10s, timeout: 50s, isolation: {isolation}}}
shutdown: {{grace: 21s, margin: 20s}}
retries: {{attempts: 1}}
suppress: [{{rule: grace-shorter-than-timeout, reason: a test of just that, until: 2099-01-01}}]
"""
    names = ("heeds", "echoes", "deaf")
    with make_trial(handlers=CANNOT_END[kind], spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send({"id": name} for name in names)
        wait_for(lambda: len(read(trial.ledger)) == 3, "the messages run")
        assert worker.end() == 0
        assert len(worker.events(Event.DRAIN_CANCELLING)) == 1
        assert trial.live_consumers() == []
        uncharged = trial.ask("HVALS", "{trial}:trial:uncharged")
        assert uncharged == ["1@1", "1@1", "1@1"]
        # The janitor exports this count: no scrape reaches the worker in its last seconds.
        assert trial.ask("HGET", "{trial}:trial:position", "cut") == "3"

        second = trial.worker()
        trial.until_drained()
        assert set(by_message(read(trial.ledger), "attempt-1")) == set(names)
        assert {
            name: [line.fence for line in lines] for name, lines in by_message(read(trial.ledger), "end").items()
        } == {name: [2] for name in names}
        assert trial.dead() == []
        assert second.ready().end() == 0
        trial.assert_nothing_left()


def test_a_second_signal_ends_the_worker_at_once(make_trial: Callable[..., Trial]) -> None:
    """No message is lost: unsettled ones are taken over."""
    with make_trial(handlers=HANDLERS, spec="work: {lease: 10s}") as trial:
        worker = trial.worker().ready()
        [consumer] = trial.live_consumers()
        trial.send([{"id": "a"}])
        wait_for(lambda: read(trial.ledger), "the message runs")
        worker.signal(signal.SIGINT)
        worker.until(Event.DRAIN_WAITING)
        worker.signal(signal.SIGTERM)
        assert worker.process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert trial.live_consumers() == [consumer]
        take_over(trial, consumer)
        (trial.folder / "free-a").touch()
        second = trial.worker()
        trial.until_drained()
        assert [line.what for line in read(trial.ledger)] == ["attempt-1", "attempt-2", "end"]
        assert second.end() == 0


def test_a_worker_can_stop_before_redis_is_reachable(make_trial: Callable[..., Trial]) -> None:
    """There is nothing to finish, so the exit code is 0."""
    with make_trial(handlers=HANDLERS) as trial:
        worker = trial.start("worker", "trial", "--redis", "redis://127.0.0.1:1", "--listen", "127.0.0.1:0")
        worker.until(Event.REDIS_UNREACHABLE)
        assert page(worker, "/readyz")[0] == 503
        assert worker.end() == 0
        assert len(worker.events(Event.REDIS_UNREACHABLE)) == 1


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("pause", "the grace period is over"), ("kill", "Redis failed: no connection to")],
)
def test_a_worker_stops_without_redis(make_server_trial: Callable[..., Trial], fault: str, reason: str) -> None:
    """A server that hangs or is gone delays the exit until the grace period ends; exit code and log report it."""
    spec = "work: {lease: 10s, timeout: 12s}\nshutdown: {grace: 15s, margin: 2s}\n"
    with make_server_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "a"}])
        (trial.folder / "free-a").touch()
        trial.until_drained()
        [server] = trial.target.servers
        getattr(server, fault)()
        worker.signal(signal.SIGTERM)
        assert worker.process.wait(PATIENCE) == 1
        [line] = worker.events(Event.DRAIN_INCOMPLETE)
        assert line["reason"].startswith(reason)
