"""A worker starts, or prints one clear error and exits with 2."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import targets
from consumer_leases import lease_end
from entries import add
from event_loop import run_async
from http_probes import page
from ledger import by_message, read
from patience import PATIENCE
from pipelines import HANDLERS, KEY, Process, Trial
from raw_client import RawClient
from servers import Server, wait_for

from penstock.embedded import LOOPBACK, running_in
from penstock.observe.events import Activity, Event
from penstock.worker.replication import acknowledges_alone

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


def assert_refused(process: Process, *texts: str) -> None:
    """The process exits with one error that has these texts, without a traceback."""
    assert process.process.wait(PATIENCE) == 2, process.log()
    lines = process.log().splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    assert len(errors) == 1, process.log()
    for text in texts:
        assert text in process.log(), process.log()
    assert "Traceback" not in process.log()
    assert len([line for line in lines if line.startswith("hint: ")]) <= 1


def test_errors_in_the_spec_are_shown(make_trial: Callable[..., Trial]) -> None:
    """The output has all errors, each at its place, with hints."""
    with make_trial(spec="work: {lease: 1s, timeout: 5m}") as trial:
        worker = trial.worker()
        assert_refused(
            worker,
            "error[lease-too-short]",
            "error[grace-shorter-than-timeout]",
            "trial.yaml:",
            "the specs have errors",
        )


@pytest.mark.parametrize(
    ("handlers", "texts"),
    [
        ("import nowhere_to_be_found", ("cannot be imported", "nowhere_to_be_found")),
        ("1 / 0", ("failed to import: ZeroDivisionError",)),
        ("import sys; sys.exit(0)", ("failed to import: SystemExit",)),
    ],
    ids=["import", "error", "exit"],
)
def test_an_unusable_handler_is_refused(
    make_trial: Callable[..., Trial], handlers: str, texts: tuple[str, ...]
) -> None:
    """The worker exits before it connects to Redis."""
    with make_trial(handlers=handlers) as trial:
        assert_refused(trial.start("worker", "trial", "--redis", "redis://127.0.0.1:1", "--listen", "off"), *texts)


def test_a_port_in_use_is_refused(make_trial: Callable[..., Trial]) -> None:
    """The worker exits before it reads a message."""
    with make_trial() as trial, socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert_refused(
            trial.start("worker", "trial", "--redis", trial.target.url, "--listen", f"127.0.0.1:{port}"), str(port)
        )
        assert trial.number("EXISTS", "trial") == 0


def test_a_wrong_password_is_refused(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """The worker exits at once, because waiting would not help, and does not show the password."""
    server.ask("CONFIG", "SET", "requirepass", "the right one")
    with make_server_trial() as trial:
        url = f"redis://:wr0ng-s3cret@{server.address}"
        assert_refused(
            trial.start("worker", "trial", "--redis", url, "--listen", "off"), "refuses the connection: WRONGPASS"
        )
        assert_refused(
            trial.start("worker", "trial", "--redis", server.url, "--listen", "off"),
            "refuses the connection: NOAUTH",
        )
        assert all("wr0ng-s3cret" not in process.log() for process in trial.processes)


@pytest.mark.parametrize(
    ("handlers", "texts"),
    [
        (LIFESPAN.format(begins="raise ConnectionError('no database')", ends=""), "ConnectionError: no database"),
        (LIFESPAN.format(begins="return", ends=""), "generator didn't yield"),
    ],
    ids=["raises", "no yield"],
)
def test_a_lifespan_that_fails_to_start_stops_the_worker(
    make_trial: Callable[..., Trial], handlers: str, texts: str
) -> None:
    """The error names the place of the failure."""
    with make_trial(handlers=handlers) as trial:
        assert_refused(trial.worker(), "`lifespan` of `handlers:handle` failed to start", texts, "see its `lifespan`")
        assert trial.live_consumers() == []


def test_a_lifespan_that_hangs_does_not_stop_the_shutdown(make_trial: Callable[..., Trial]) -> None:
    """SIGTERM ends the wait for its start, and an error at its end is logged."""
    hangs = LIFESPAN.format(begins="print('it hangs', file=sys.stderr); await asyncio.sleep(600)", ends="")
    with make_trial(handlers=hangs) as trial:
        worker = trial.worker()
        worker.until_text("it hangs")
        assert page(worker, "/readyz")[0] == 503
        assert worker.end() == 0
        (trial.folder / "handlers.py").write_text(LIFESPAN.format(begins="", ends="raise ValueError('at the end')"))
        worker = trial.worker().ready()
        assert worker.end() == 0
        [line] = worker.events(Event.LIFESPAN_EXIT_FAILED)
        assert (line["error"], line["at"]) == ("ValueError", "handlers.py:9")
        assert trial.live_consumers() == []


def test_an_evicting_redis_is_reported(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """It could delete complete streams, so the worker logs an error, and runs nevertheless."""
    server.ask("CONFIG", "SET", "maxmemory", "100mb")
    server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    with make_server_trial() as trial:
        worker = trial.worker().ready()
        assert worker.end() == 0
        [line] = worker.events(Event.REDIS_EVICTS)
        assert (line["level"], line["policy"]) == ("ERROR", "allkeys-lru")


def test_a_master_that_acknowledges_alone_is_reported(server: Server) -> None:
    """Without `min-replicas-to-write`, a failover loses what only the old master has; replicas are not asked."""

    async def asked(one: Server) -> bool:
        link = one.link()
        try:
            return await acknowledges_alone(link)
        finally:
            await link.close()

    assert run_async(asked(server))
    with Server(f"replicaof {LOOPBACK} {server.port}") as replica:
        assert not run_async(asked(replica))
    server.ask("CONFIG", "SET", "min-replicas-to-write", 1)
    assert not run_async(asked(server))


@pytest.mark.parametrize("topology", ["standalone", "sentinel"])
def test_a_worker_behind_sentinels_reports_a_master_that_acknowledges_alone(tmp_path: Path, topology: str) -> None:
    """When it starts, as a warning; a single server has no failover that the worker knows of."""
    shape = "plain" if topology == "standalone" else topology
    with targets.start(shape) as target, Trial(tmp_path, target) as trial:
        worker = trial.worker().ready()
        assert worker.end() == 0
        assert len(worker.events(Event.REDIS_UNREPLICATED)) == (topology == "sentinel")


def test_embedded_redis_starts_and_ends_with_the_worker(make_trial: Callable[..., Trial]) -> None:
    """`--embedded` runs a Redis for this repository."""
    with make_trial() as trial:
        worker = trial.start("worker", "specs/trial.yaml", "--embedded", "--listen", "127.0.0.1:0").ready()
        url = running_in(trial.folder / ".penstock" / "redis")
        assert url is not None
        port = int(url.rpartition(":")[2])
        client = RawClient("127.0.0.1", port)
        client.ask("XADD", "trial", "*", "data", '{"id": "a"}')
        wait_for(lambda: len(read(trial.ledger)) == 2, "the message is done")
        client.close()
        assert worker.end() == 0
        with pytest.raises(OSError, match="refused"):
            RawClient("127.0.0.1", port)


def test_until_idle_stops_when_no_message_is_left(make_trial: Callable[..., Trial]) -> None:
    """The worker does not stop while a retry waits for its due time."""
    handlers = HANDLERS.replace(
        "async def handle(message, context):",
        """import penstock

async def handle(message, context):
    if context.attempt == 1:
        raise penstock.Retry(after=1.5)""",
    )
    with make_trial(handlers=handlers) as trial:
        trial.send({"id": f"m{number}"} for number in range(20))
        worker = trial.worker("--until-idle")
        assert worker.process.wait(PATIENCE) == 0
        assert len(by_message(read(trial.ledger), "end")) == 20
        assert len(worker.events(Event.WORKER_IDLE)) == 1
        assert trial.left() == 0
        trial.assert_nothing_left()


def test_a_lifespan_may_block_the_loop(make_trial: Callable[..., Trial]) -> None:
    """While it loads a model for longer than the timeout, the worker is alive; afterwards it is ready."""
    loads = LIFESPAN.format(begins="import time; print('it loads', file=sys.stderr); time.sleep(5)", ends="")
    spec = "work: {lease: 10s, timeout: 1s}\nshutdown: {margin: 1s, grace: 5s}\n"
    with make_trial(handlers=loads, spec=spec) as trial:
        worker = trial.worker()
        worker.until_text("it loads")
        assert page(worker, "/livez")[0] == 200
        assert page(worker, "/readyz") == (503, "not ready: starting\n")
        worker.ready()
        assert page(worker, "/readyz")[0] == 200
        assert worker.end() == 0


def test_until_idle_reads_all_messages_without_a_known_lag(make_trial: Callable[..., Trial]) -> None:
    """Redis 6.2 reports no lag; even if history is kept, the worker does not stop before it has read all."""
    spec = "stream: {key: trial, group: trial, retention: {keep: {length: 1000}}}\n"
    with make_trial(spec=spec) as trial:
        trial.ask("XGROUP", "CREATE", KEY, "trial", "0", "MKSTREAM")
        done = [add(trial, ["data", '{"id": "done"}']) for _ in range(3)]
        trial.ask("XREADGROUP", "GROUP", "trial", "another", "STREAMS", KEY, ">")
        trial.ask("XACK", KEY, "trial", *done)
        trial.send({"id": f"m{number}"} for number in range(12))
        worker = trial.worker("--until-idle")
        assert worker.process.wait(PATIENCE) == 0
        assert set(by_message(read(trial.ledger), "end")) == {f"m{number}" for number in range(12)}


def test_a_user_without_read_rights_is_reported(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """One line names the refused activity, and the worker is not ready until it may read."""
    with make_server_trial() as trial:
        worker = trial.worker().ready()
        assert page(worker, "/readyz")[0] == 200
        server.ask("ACL", "SETUSER", "default", "-xreadgroup")
        trial.send([{"id": "a"}])
        worker.until(Event.REDIS_REFUSED)
        assert page(worker, "/readyz") == (503, "not ready: Redis refuses reading\n")
        [consumer] = trial.live_consumers()
        before = lease_end(trial, consumer)
        wait_for(lambda: lease_end(trial, consumer) > before, "the lease is renewed")
        [line] = worker.events(Event.REDIS_REFUSED)
        assert (line["activity"], line["error"].partition(" ")[0]) == (Activity.READING, "NOPERM")
        server.ask("ACL", "SETUSER", "default", "+xreadgroup")
        trial.until_drained()
        wait_for(
            lambda: [line["activity"] for line in worker.events(Event.REDIS_REACHABLE)] == [Activity.READING],
            "the worker reports that it reads again",
        )
        assert page(worker, "/readyz")[0] == 200
        assert worker.end() == 0


@pytest.mark.parametrize(
    "moment", ["penstock.entry", "click", "penstock.terminal.verbs", "pydantic", "penstock.worker.worker"]
)
def test_sigterm_during_the_start_is_a_clean_exit(make_trial: Callable[..., Trial], moment: str) -> None:
    """However early it comes, the worker exits with 0: it has taken no message."""
    with make_trial() as trial:
        trial.send([{"id": "a"}])
        words = ("worker", "trial", "--redis", trial.target.url, "--listen", "off")
        worker = trial.start(*words, environ={"PYTHONPROFILEIMPORTTIME": "1"})
        worker.until_text(f" {moment}\n")
        assert worker.end() == 0
        assert trial.left() + len(read(trial.ledger)) >= 1
        assert "Traceback" not in worker.log()


def test_sigterm_while_the_handler_is_imported_is_a_clean_exit(make_trial: Callable[..., Trial]) -> None:
    """Even if the import takes long."""
    with make_trial(
        handlers="import sys, time; print('it imports', file=sys.stderr, flush=True); time.sleep(600)"
    ) as trial:
        worker = trial.worker().until_text("it imports")
        assert worker.end() == 0
        assert "stopped by SIGTERM before it had started" in worker.log()
        assert "Traceback" not in worker.log()
