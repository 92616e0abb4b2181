"""A worker starts, or prints one clear error and exits with 2."""

import socket
from collections.abc import Callable

import pytest
from consumer_leases import lease_end
from entries import add
from http_probes import page
from ledger import by_message, read
from patience import PATIENCE
from pipelines import HANDLERS, KEY, Process, Trial
from raw_client import RawClient
from servers import Server, wait_for

from penstock.embedded import running_in
from penstock.observe.events import Activity, Event

LIFESPAN = """\
from contextlib import asynccontextmanager
import asyncio, sys
import penstock

@asynccontextmanager
async def needs():
    {begins}
    yield
    {ends}

@penstock.handler(lifespan=needs)
async def handle(message):
    ...
"""


def refused(process: Process, *says: str) -> None:
    """It exits with one error that says all of this, without a traceback."""
    assert process.process.wait(PATIENCE) == 2, process.log()
    lines = process.log().splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    assert len(errors) == 1, process.log()
    for one in says:
        assert one in process.log(), process.log()
    assert "Traceback" not in process.log()
    assert len([line for line in lines if line.startswith("hint: ")]) <= 1


def test_errors_in_the_spec_are_shown(trial: Callable[..., Trial]) -> None:
    """All of them, each at its place, with hints."""
    with trial(spec="work: {lease: 1s, timeout: 5m}") as one:
        worker = one.worker()
        refused(
            worker,
            "error[lease-too-short]",
            "error[grace-shorter-than-timeout]",
            "trial.yaml:",
            "the specs have errors",
        )


@pytest.mark.parametrize(
    ("handlers", "says"),
    [
        ("import nowhere_to_be_found", ("cannot be imported", "nowhere_to_be_found")),
        ("1 / 0", ("failed to import: ZeroDivisionError",)),
        ("import sys; sys.exit(0)", ("failed to import: SystemExit",)),
    ],
    ids=["import", "error", "exit"],
)
def test_an_unusable_handler_is_refused(trial: Callable[..., Trial], handlers: str, says: tuple[str, ...]) -> None:
    """Before it connects to Redis."""
    with trial(handlers=handlers) as one:
        refused(one.start("worker", "trial", "--redis", "redis://127.0.0.1:1", "--listen", "off"), *says)


def test_a_port_in_use_is_refused(trial: Callable[..., Trial]) -> None:
    """Before it reads a message."""
    with trial() as one, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(one.start("worker", "trial", "--redis", one.target.url, "--listen", f"127.0.0.1:{port}"), str(port))
        assert one.number("EXISTS", "trial") == 0


def test_a_wrong_password_is_refused(own: Callable[..., Trial], server: Server) -> None:
    """Waiting would not help, so it does not wait; and it does not show the password."""
    server.ask("CONFIG", "SET", "requirepass", "the right one")
    with own() as one:
        url = f"redis://:wr0ng-s3cret@{server.address}"
        refused(one.start("worker", "trial", "--redis", url, "--listen", "off"), "refuses the connection: WRONGPASS")
        refused(
            one.start("worker", "trial", "--redis", server.url, "--listen", "off"),
            "refuses the connection: NOAUTH",
        )
        assert all("wr0ng-s3cret" not in process.log() for process in one.processes)


@pytest.mark.parametrize(
    ("handlers", "says"),
    [
        (LIFESPAN.format(begins="raise ConnectionError('no database')", ends=""), "ConnectionError: no database"),
        (LIFESPAN.format(begins="return", ends=""), "generator didn't yield"),
    ],
    ids=["raises", "no yield"],
)
def test_a_lifespan_that_fails_to_start_stops_the_worker(trial: Callable[..., Trial], handlers: str, says: str) -> None:
    """The error says where it failed."""
    with trial(handlers=handlers) as one:
        refused(one.worker(), "`lifespan` of `handlers:handle` failed to start", says, "see its `lifespan`")
        assert one.live_consumers() == []


def test_a_lifespan_that_hangs_does_not_keep_the_worker(trial: Callable[..., Trial]) -> None:
    """SIGTERM ends the wait for its start, and an error at its end is logged."""
    hangs = LIFESPAN.format(begins="print('it hangs', file=sys.stderr); await asyncio.sleep(600)", ends="")
    with trial(handlers=hangs) as one:
        worker = one.worker()
        worker.until_text("it hangs")
        assert page(worker, "/readyz")[0] == 503
        assert worker.end() == 0
        (one.folder / "handlers.py").write_text(LIFESPAN.format(begins="", ends="raise ValueError('at the end')"))
        worker = one.worker().ready()
        assert worker.end() == 0
        [said] = worker.events(Event.LIFESPAN_EXIT_FAILED)
        assert (said["error"], said["at"]) == ("ValueError", "handlers.py:9")
        assert one.live_consumers() == []


def test_an_evicting_redis_is_reported(own: Callable[..., Trial], server: Server) -> None:
    """It would delete whole streams; the worker works all the same."""
    server.ask("CONFIG", "SET", "maxmemory", "100mb")
    server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    with own() as one:
        worker = one.worker().ready()
        assert worker.end() == 0
        [said] = worker.events(Event.REDIS_EVICTS)
        assert (said["level"], said["policy"]) == ("ERROR", "allkeys-lru")


def test_embedded_redis_starts_and_ends_with_the_worker(trial: Callable[..., Trial]) -> None:
    """`--embedded`: a Redis for this repository."""
    with trial() as one:
        worker = one.start("worker", "specs/trial.yaml", "--embedded", "--listen", "127.0.0.1:0").ready()
        url = running_in(one.folder / ".penstock" / "redis")
        assert url is not None
        port = int(url.rpartition(":")[2])
        raw = RawClient("127.0.0.1", port)
        raw.ask("XADD", "trial", "*", "data", '{"id": "a"}')
        wait_for(lambda: len(read(one.ledger)) == 2, "it is done")
        raw.close()
        assert worker.end() == 0
        with pytest.raises(OSError, match="refused"):
            RawClient("127.0.0.1", port)


def test_until_idle_stops_when_no_message_is_left(trial: Callable[..., Trial]) -> None:
    """But not while a retry waits for its due time."""
    handlers = HANDLERS.replace(
        "async def handle(message, context):",
        """import penstock

async def handle(message, context):
    if context.attempt == 1:
        raise penstock.Retry(after=1.5)""",
    )
    with trial(handlers=handlers) as one:
        one.send({"id": f"m{number}"} for number in range(20))
        worker = one.worker("--until-idle")
        assert worker.process.wait(PATIENCE) == 0
        assert len(by_message(read(one.ledger), "end")) == 20
        assert len(worker.events(Event.WORKER_IDLE)) == 1
        assert one.left() == 0
        one.assert_nothing_left()


def test_a_lifespan_may_block_the_loop(trial: Callable[..., Trial]) -> None:
    """It loads a model for longer than a message may take: the worker is alive, and ready afterwards."""
    loads = LIFESPAN.format(begins="import time; print('it loads', file=sys.stderr); time.sleep(5)", ends="")
    spec = "work: {lease: 10s, timeout: 1s}\nshutdown: {margin: 1s, grace: 5s}\n"
    with trial(handlers=loads, spec=spec) as one:
        worker = one.worker()
        worker.until_text("it loads")
        assert page(worker, "/livez")[0] == 200
        assert page(worker, "/readyz") == (503, "not ready: starting\n")
        worker.ready()
        assert page(worker, "/readyz")[0] == 200
        assert worker.end() == 0


def test_until_idle_without_a_known_lag(trial: Callable[..., Trial]) -> None:
    """Redis 6.2 reports no lag: if history is kept, the worker does not stop with messages unread."""
    spec = "stream: {key: trial, group: trial, retention: {keep: {length: 1000}}}\n"
    with trial(spec=spec) as one:
        one.ask("XGROUP", "CREATE", KEY, "trial", "0", "MKSTREAM")
        done = [add(one, ["data", '{"id": "done"}']) for _ in range(3)]
        one.ask("XREADGROUP", "GROUP", "trial", "another", "STREAMS", KEY, ">")
        one.ask("XACK", KEY, "trial", *done)
        one.send({"id": f"m{number}"} for number in range(12))
        worker = one.worker("--until-idle")
        assert worker.process.wait(PATIENCE) == 0
        assert set(by_message(read(one.ledger), "end")) == {f"m{number}" for number in range(12)}


def test_a_user_without_read_rights_is_reported(own: Callable[..., Trial], server: Server) -> None:
    """One line says what is refused, and the worker is not ready until it may read."""
    with own() as one:
        worker = one.worker().ready()
        assert page(worker, "/readyz")[0] == 200
        server.ask("ACL", "SETUSER", "default", "-xreadgroup")
        one.send([{"id": "a"}])
        worker.until(Event.REDIS_REFUSED)
        assert page(worker, "/readyz") == (503, "not ready: Redis refuses reading\n")
        [consumer] = one.live_consumers()
        before = lease_end(one, consumer)
        wait_for(lambda: lease_end(one, consumer) > before, "the lease is renewed")
        [said] = worker.events(Event.REDIS_REFUSED)
        assert (said["activity"], said["error"].partition(" ")[0]) == (Activity.READING, "NOPERM")
        server.ask("ACL", "SETUSER", "default", "+xreadgroup")
        one.until_drained()
        wait_for(
            lambda: [line["activity"] for line in worker.events(Event.REDIS_REACHABLE)] == [Activity.READING],
            "it says that it reads again",
        )
        assert page(worker, "/readyz")[0] == 200
        assert worker.end() == 0
