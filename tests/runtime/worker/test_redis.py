"""A worker survives when Redis is unreachable, slow, full, stopped, or replaced."""

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import targets
from faulty_connection import Cable
from http_probes import numbers, page, until_counted
from ledger import by_message, read
from pipelines import KEY, Process, Trial
from raw_client import RawClient
from servers import Server, wait_for

from penstock.observe.events import Activity, Event

pytestmark = pytest.mark.wire

HANDLERS = """\
import asyncio, pathlib
import ledger
import penstock

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    await asyncio.sleep(message.get("takes", 0.005))
    while message.get("held") and not pathlib.Path("released").exists():
        await asyncio.sleep(0.02)
    match message["id"].partition("-")[0]:
        case "retry" if context.attempt == 1: raise penstock.Retry(after=0.1)
        case "bury": raise penstock.Bury("for good")
    ledger.note("end", message["id"], context.fence)
"""
SPEC = "work: {concurrency: 8, lease: 10s, block: 1s}\nretries: {attempts: 2}\n"


def done(trial: Trial) -> Counter[str]:
    """How often each message was done."""
    return Counter(line.message for line in read(trial.ledger) if line.what == "end")


def started(trial: Trial) -> int:
    """The number of messages that were started."""
    return len({line.message for line in read(trial.ledger) if line.what == "start"})


@contextmanager
def repeated(do: Callable[[], object], seconds: float) -> Iterator[None]:
    """Repeat a fault in a thread."""
    stopped = threading.Event()

    def repeat() -> None:
        while not stopped.wait(seconds):
            do()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def test_a_master_without_replicas_refuses_writes_and_loses_none(
    make_server_trial: Callable[..., Trial], server: Server
) -> None:
    """With `min-replicas-to-write`, outcomes wait until a replica is back; no message runs again."""
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "a", "held": True}, {"id": "retry", "held": True}, {"id": "bury", "held": True}])
        wait_for(lambda: started(trial) == 3, "all run")
        server.ask("CONFIG", "SET", "min-replicas-to-write", 1)
        (trial.folder / "released").touch()
        wait_for(lambda: "NOREPLICAS" in worker.log(), "Redis refuses their outcomes")
        server.ask("CONFIG", "SET", "min-replicas-to-write", 0)
        trial.until_drained()
        assert done(trial) == {"a": 1, "retry": 1}
        assert len(trial.dead()) == 1
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_redis_may_be_unreachable_at_the_start(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """The worker logs one line, is not ready, and starts to work when Redis comes."""
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        server.stop()
        worker = trial.worker()
        worker.until(Event.REDIS_UNREACHABLE)
        assert page(worker, "/readyz")[0] == 503
        assert page(worker, "/livez")[0] == 200
        assert page(worker, "/internal/health/redis")[0] == 503
        until_counted(worker, "redis_connections", 0)
        wait_for(lambda: numbers(worker).of("redis_errors", kind="absent") > 2, "the worker retries")
        server.start()
        trial.send([{"id": "a"}])
        trial.until_drained()
        assert page(worker, "/readyz")[0] == 200
        wait_for(lambda: page(worker, "/internal/health/redis")[0] == 200, "a new check sees Redis")
        until_counted(worker, "redis_connections", 3)
        logged = [*worker.events(Event.REDIS_UNREACHABLE), *worker.events(Event.REDIS_REACHABLE)]
        assert [line["event"] for line in logged if line["activity"] == Activity.CONNECTING] == [
            Event.REDIS_UNREACHABLE,
            Event.REDIS_REACHABLE,
        ]
        assert logged[0]["message"].startswith("Redis is unreachable: no connection to 127.0.0.1:")
        assert worker.end() == 0


def test_killed_connections_and_flushed_scripts_lose_nothing(
    make_server_trial: Callable[..., Trial], server: Server
) -> None:
    """Each message is done once, however often this happens.

    The worker repeats a step whose reply was lost, and gives back messages whose delivery was lost.
    """
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(500)]
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        trial.send({"id": name} for name in names)
        raw = RawClient("127.0.0.1", server.port)

        def meddle() -> None:
            raw.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            raw.ask("SCRIPT", "FLUSH")

        with repeated(meddle, 0.1):
            worker = trial.worker()
            wait_for(lambda: len(done(trial)) == len(names), "all are done", 60)
        raw.close()
        trial.until_drained()
        assert done(trial) == Counter(names)
        assert trial.dead() == []
        counts = numbers(worker)
        assert counts.of("redis_connects") > 10
        assert counts.of("redis_errors", kind="unanswered") > 0
        assert counts.of("lease_lost") == 0
        assert worker.ready().end() == 0
        trial.assert_nothing_left()


def test_a_restart_of_redis_loses_nothing(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """When Redis is killed under load and restarts with its append-only file, only interrupted messages run twice."""
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(400)]
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send({"id": name} for name in names)
        wait_for(lambda: len(done(trial)) > 50, "the worker runs messages")
        server.restart()
        wait_for(lambda: len(done(trial)) == len(names), "all are done", 60)
        trial.until_drained()
        repeated_names = [name for name, count in done(trial).items() if count > 1]
        assert len(repeated_names) <= 2 * 8, "at most as many as the kill interrupted"
        assert trial.dead() == []
        assert worker.end() == 0
        trial.assert_nothing_left()


def aof_of(server: Server) -> Path:
    """The append-only file that grows with each write; Redis 7 moved it."""
    return max((server.folder / "appendonlydir").glob("*.incr.aof"), default=server.folder / "appendonly.aof")


def kept_by(server: Server) -> set[str]:
    """The messages in the stream of a stopped server, read by another server from its append-only file."""
    with Server(appendonly=True) as other:
        other.stop()
        for path in server.folder.rglob("*.*"):
            if "appendonly" in path.name:
                (other.folder / path.relative_to(server.folder)).write_bytes(path.read_bytes())
        other.start()
        entries = other.ask("XRANGE", KEY, "-", "+")
        assert isinstance(entries, list)
        return {json.loads(entry[1][1])["id"] for entry in entries}  # type: ignore[index,arg-type] # as Redis answers


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_messages_that_redis_kept_are_done(
    make_server_trial: Callable[..., Trial], server: Server, share: float
) -> None:
    """When the end of the append-only file is lost, leases, fences and settles are older than the worker expects."""
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(400)]
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        # Sent before any worker runs, so that the end of the file has settles and no sends.
        trial.ask("XGROUP", "CREATE", KEY, "trial", "0", "MKSTREAM")
        trial.send({"id": name} for name in names)
        worker = trial.worker().ready()
        wait_for(lambda: len(done(trial)) > 200, "the worker runs messages")
        server.kill()
        before = done(trial)
        log = aof_of(server)
        os.truncate(log, int(log.stat().st_size * (1 - share)))
        kept = kept_by(server)
        assert kept - before.keys(), "some kept messages are not done"
        assert kept & before.keys(), "some kept messages were done"
        server.start()
        wait_for(
            lambda: all(done(trial)[name] > before[name] for name in kept), "the kept messages are done, some again", 90
        )
        trial.until_drained(90)
        assert trial.dead() == []
        assert worker.process.poll() is None
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_a_pause_of_redis_loses_no_worker(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """When Redis hangs for longer than a lease and the reply timeout, no worker counts as lost."""
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        workers = [trial.worker().ready() for _ in range(2)]
        consumers = trial.live_consumers()
        trial.send({"id": f"m-{number}", "takes": 1} for number in range(16))
        wait_for(lambda: started(trial) == 16, "the messages run")
        server.pause()
        time.sleep(11)  # the length of the fault, not a wait
        server.resume()
        trial.until_drained()
        assert Counter(done(trial).values()) == {1: 16}, "no message is done twice"
        assert trial.live_consumers() == consumers
        for worker in workers:
            counts = numbers(worker)
            assert counts.of("redis_errors", kind="unanswered") > 0
            assert (counts.of("lease_lost"), counts.of("taken_over"), counts.of("fenced")) == (0, 0, 0)
            assert worker.end() == 0
        trial.assert_nothing_left()


def without_replicas(server: Server) -> Callable[[], object]:
    """Make writes need a replica that does not exist."""
    server.ask("CONFIG", "SET", "min-replicas-to-write", 1)
    return lambda: server.ask("CONFIG", "SET", "min-replicas-to-write", 0)


def without_a_disk(server: Server) -> Callable[[], object]:
    """Let a snapshot fail, so that Redis refuses writes (MISCONF)."""
    (server.folder / "dump.rdb").mkdir()
    server.ask("CONFIG", "SET", "save", "3600 1")
    server.ask("BGSAVE")
    wait_for(lambda: "rdb_last_bgsave_status:err" in str(server.ask("INFO", "persistence")), "the snapshot fails")
    return lambda: server.ask("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")


def settling(worker: Process, event: Event) -> bool:
    """Whether it logged this error of its steps."""
    return any(line["activity"] == Activity.SETTLING for line in worker.events(event))


@pytest.mark.parametrize("fault", [without_replicas, without_a_disk])
def test_refused_steps_are_kept(
    make_server_trial: Callable[..., Trial], server: Server, fault: Callable[[Server], Callable[[], object]]
) -> None:
    """Messages keep their slots until Redis accepts their steps, but for the dead letter."""
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        names = ("done-1", "retry-1", "bury-1")
        trial.send({"id": name, "held": True} for name in names)
        wait_for(lambda: started(trial) == 3, "the messages run")
        heal = fault(server)
        (trial.folder / "released").touch()
        wait_for(lambda: settling(worker, Event.REDIS_REFUSED), "the worker reports it")
        until_counted(worker, "unsettled", 3)
        assert trial.left() == 3
        until_counted(worker, "slots_free", 6)
        assert trial.dead() == []
        wait_for(lambda: numbers(worker).of("redis_errors", kind="refused") > 3, "the worker retries")
        heal()
        trial.until_drained()
        assert done(trial) == Counter(["done-1", "retry-1"])
        [dead_letter] = trial.dead()
        assert dead_letter["data"].startswith('{"id": "bury-1"')
        assert settling(worker, Event.REDIS_REACHABLE)
        until_counted(worker, "unsettled", 0)
        until_counted(worker, "slots_free", 8)
        assert numbers(worker).of("lease_lost") == 0
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_failover_loses_no_acknowledged_message(tmp_path: Path) -> None:
    """When another server becomes the master, the same worker runs the acknowledged messages."""
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(300)]
    with targets.start("sentinel") as target, Trial(tmp_path, target, handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send({"id": name} for name in names)
        wait_for(lambda: len(done(trial)) > 30, "the worker runs messages")
        target.failover()
        wait_for(lambda: len(done(trial)) == len(names), "all are done", 60)
        wait_for(lambda: trial.left() == 0, "the stream is empty")
        trial.send([{"id": "after"}])
        wait_for(lambda: "after" in done(trial), "the worker runs new messages")
        assert trial.dead() == []
        assert numbers(worker).of("lease_lost") == 0
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_large_bodies_over_a_slow_link_are_done(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """Sixteen bodies of 2 MB need 8 s at 4 MB/s, and `answer` is 3 s: it bounds the time without a byte."""
    spec = "work: {concurrency: 16, lease: 10s}\nmessage: {max_size: 4Mi}\n"
    with make_server_trial(spec=spec) as trial, Cable(server.port) as cable:
        trial.send({"id": f"m{number}", "more": 2_000_000 * "x"} for number in range(16))
        cable.slow_down(4_000_000)
        url = f"redis://{cable.address}/0"
        worker = trial.start("worker", "trial", "--redis", url, "--listen", "127.0.0.1:0").ready()
        trial.until_drained()
        starts = by_message(read(trial.ledger), "start")
        assert {len(lines) for lines in starts.values()} == {1}, "no answer was lost"
        assert worker.events(Event.REDIS_UNREACHABLE) == []
        assert worker.end() == 0
        trial.assert_nothing_left()
