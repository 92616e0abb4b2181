"""Redis is unreachable, slow, full, stopped, or replaced by another."""

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
from http_probes import numbers, page, until_counted
from ledger import read
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


def done(one: Trial) -> Counter[str]:
    """How often each message was done."""
    return Counter(line.message for line in read(one.ledger) if line.what == "end")


def started(one: Trial) -> int:
    """The number of messages that were started."""
    return len({line.message for line in read(one.ledger) if line.what == "start"})


@contextmanager
def repeated(do: Callable[[], object], seconds: float) -> Iterator[None]:
    """Repeat a fault in a thread."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            do()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_redis_may_be_unreachable_at_the_start(own: Callable[..., Trial], server: Server) -> None:
    """One line says so, the worker is not ready, and works when Redis comes."""
    with own(handlers=HANDLERS, spec=SPEC) as one:
        server.stop()
        worker = one.worker()
        worker.until(Event.REDIS_UNREACHABLE)
        assert page(worker, "/readyz")[0] == 503
        assert page(worker, "/livez")[0] == 200
        assert page(worker, "/internal/health/redis")[0] == 503
        until_counted(worker, "redis_connections", 0)
        wait_for(lambda: numbers(worker).of("redis_errors", kind="absent") > 2, "it tries again")
        server.start()
        one.send([{"id": "a"}])
        one.until_drained()
        assert page(worker, "/readyz")[0] == 200
        assert page(worker, "/internal/health/redis")[0] == 200
        until_counted(worker, "redis_connections", 3)
        logged = [*worker.events(Event.REDIS_UNREACHABLE), *worker.events(Event.REDIS_REACHABLE)]
        assert [line["event"] for line in logged if line["activity"] == Activity.CONNECTING] == [
            Event.REDIS_UNREACHABLE,
            Event.REDIS_REACHABLE,
        ]
        assert logged[0]["message"].startswith("Redis is unreachable: no connection to 127.0.0.1:")
        assert worker.end() == 0


def test_killed_connections_and_flushed_scripts_lose_nothing(own: Callable[..., Trial], server: Server) -> None:
    """Again and again: each message is done once.

    A step whose answer was lost is repeated; messages of a lost answer are given back.
    """
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(500)]
    with own(handlers=HANDLERS, spec=SPEC) as one:
        one.send({"id": name} for name in names)
        raw = RawClient("127.0.0.1", server.port)

        def meddle() -> None:
            raw.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            raw.ask("SCRIPT", "FLUSH")

        with repeated(meddle, 0.1):
            worker = one.worker()
            wait_for(lambda: len(done(one)) == len(names), "all are done", 60)
        raw.close()
        one.until_drained()
        assert done(one) == Counter(names)
        assert one.dead() == []
        counts = numbers(worker)
        assert counts.of("redis_connects") > 10
        assert counts.of("redis_errors", kind="unanswered") > 0
        assert counts.of("lease_lost") == 0
        assert worker.ready().end() == 0
        one.assert_nothing_left()


def test_a_restart_of_redis_loses_nothing(own: Callable[..., Trial], server: Server) -> None:
    """Redis is killed under load and comes back with its append-only file; no message runs twice without need."""
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(400)]
    with own(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        one.send({"id": name} for name in names)
        wait_for(lambda: len(done(one)) > 50, "it works")
        server.restart()
        wait_for(lambda: len(done(one)) == len(names), "all are done", 60)
        one.until_drained()
        twice = [name for name, count in done(one).items() if count > 1]
        assert len(twice) <= 2 * 8, "no more than ran or settled at the kill"
        assert one.dead() == []
        assert worker.end() == 0
        one.assert_nothing_left()


def aof_of(server: Server) -> Path:
    """The append-only file that grows with each write; Redis 7 moved it."""
    return max((server.folder / "appendonlydir").glob("*.incr.aof"), default=server.folder / "appendonly.aof")


def kept_by(server: Server) -> set[str]:
    """The messages in the stream of a stopped server, as another server reads its append-only file."""
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
def test_messages_that_redis_kept_are_done(own: Callable[..., Trial], server: Server, share: float) -> None:
    """The end of its append-only file is lost: leases, fences and settles are older than the worker knows."""
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(400)]
    with own(handlers=HANDLERS, spec=SPEC) as one:
        # Sent before anybody works, so that the end of the file is about what was done, and not about what was sent.
        one.ask("XGROUP", "CREATE", KEY, "trial", "0", "MKSTREAM")
        one.send({"id": name} for name in names)
        worker = one.worker().ready()
        wait_for(lambda: len(done(one)) > 200, "it works")
        server.kill()
        before = done(one)
        log = aof_of(server)
        os.truncate(log, int(log.stat().st_size * (1 - share)))
        kept = kept_by(server)
        assert kept - before.keys(), "messages were left"
        assert kept & before.keys(), "something that was done is back"
        server.start()
        wait_for(
            lambda: all(done(one)[name] > before[name] for name in kept), "what is back is done, again or at last", 90
        )
        one.until_drained(90)
        assert one.dead() == []
        assert worker.process.poll() is None
        assert worker.end() == 0
        one.assert_nothing_left()


def test_a_pause_of_redis_loses_no_worker(own: Callable[..., Trial], server: Server) -> None:
    """Redis hangs for longer than a lease and longer than any answer may take: no worker is taken for lost."""
    with own(handlers=HANDLERS, spec=SPEC) as one:
        workers = [one.worker().ready() for _ in range(2)]
        lives = one.live_consumers()
        one.send({"id": f"m-{number}", "takes": 1} for number in range(16))
        wait_for(lambda: started(one) == 16, "they run")
        server.pause()
        time.sleep(11)  # this is the fault itself, not a wait for it
        server.resume()
        one.until_drained()
        assert Counter(done(one).values()) == {1: 16}, "nothing was done twice"
        assert one.live_consumers() == lives
        for worker in workers:
            counts = numbers(worker)
            assert counts.of("redis_errors", kind="unanswered") > 0
            assert (counts.of("lease_lost"), counts.of("taken_over"), counts.of("fenced")) == (0, 0, 0)
            assert worker.end() == 0
        one.assert_nothing_left()


def without_replicas(server: Server) -> Callable[[], object]:
    """Writes need a replica that does not exist."""
    server.ask("CONFIG", "SET", "min-replicas-to-write", 1)
    return lambda: server.ask("CONFIG", "SET", "min-replicas-to-write", 0)


def without_a_disk(server: Server) -> Callable[[], object]:
    """A snapshot failed, so Redis refuses writes (MISCONF)."""
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
    own: Callable[..., Trial], server: Server, fault: Callable[[Server], Callable[[], object]]
) -> None:
    """Messages keep their slots until Redis takes their steps."""
    with own(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        names = ("done-1", "retry-1", "bury-1")
        one.send({"id": name, "held": True} for name in names)
        wait_for(lambda: started(one) == 3, "they run")
        heal = fault(server)
        (one.folder / "released").touch()
        wait_for(lambda: settling(worker, Event.REDIS_REFUSED), "it says so")
        until_counted(worker, "unsettled", 3)
        assert one.left() == 3
        until_counted(worker, "slots_free", 5)
        assert one.dead() == []
        wait_for(lambda: numbers(worker).of("redis_errors", kind="refused") > 3, "it tries again")
        heal()
        one.until_drained()
        assert done(one) == Counter(["done-1", "retry-1"])
        [letter] = one.dead()
        assert letter["data"].startswith('{"id": "bury-1"')
        assert settling(worker, Event.REDIS_REACHABLE)
        until_counted(worker, "unsettled", 0)
        until_counted(worker, "slots_free", 8)
        assert numbers(worker).of("lease_lost") == 0
        assert worker.end() == 0
        one.assert_nothing_left()


def test_failover_loses_no_acknowledged_message(tmp_path: Path) -> None:
    """Another server becomes the master at once: the same worker runs what was acknowledged."""
    names = [f"{'retry' if number % 5 == 0 else 'm'}-{number}" for number in range(300)]
    with targets.start("sentinel") as target, Trial(tmp_path, target, handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        one.send({"id": name} for name in names)
        wait_for(lambda: len(done(one)) > 30, "it works")
        target.failover()
        wait_for(lambda: len(done(one)) == len(names), "all are done", 60)
        wait_for(lambda: one.left() == 0, "nothing is left in the stream")
        one.send([{"id": "after"}])
        wait_for(lambda: "after" in done(one), "it goes on")
        assert one.dead() == []
        assert numbers(worker).of("lease_lost") == 0
        assert worker.end() == 0
        one.assert_nothing_left()
