"""`SyncProducer` gives the same outcomes from any thread and in forked children."""

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from event_loop import run_async
from patience import PATIENCE
from sending import DEDUP, STREAM, entries, jobs, keys_of, number, pipeline
from servers import Server
from targets import Target

from penstock.embedded import LOOPBACK, free_port
from penstock.producer import (
    BacklogFull,
    Closed,
    Duplicate,
    Failed,
    NotAsDescribed,
    Producer,
    RedisAbsent,
    Sent,
    SyncProducer,
    sync,
)
from penstock.producer.loop_thread import LoopThread
from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

FORKS = Path(__file__).parent / "programs" / "forks.py"


def producer(target: Target, spec: Pipeline | None = None) -> SyncProducer:
    return SyncProducer(spec or pipeline(), target.redis, credentials=target.credentials)


@pytest.mark.wire
def test_it_takes_every_argument_of_an_asynchronous_send(target: Target) -> None:
    """Keys, correlations, delays and results work."""
    spec = pipeline(message={"dedup": DEDUP, "correlate": "job"})
    with producer(target, spec) as one:
        sent = one.send({"n": 1}, correlation="a")
        assert isinstance(sent, Sent)
        assert [entry.id for entry in entries(target)] == [sent.entry]
        assert one.send({"job": "a"}) == Duplicate(sent.id, "a")
        assert one.send({"job": "b"}, key="a") == Duplicate(sent.id, "a")
        assert isinstance(one.send({"job": "c"}, at=datetime(2020, 1, 1, tzinfo=UTC), timeout=10), Sent)
        delayed = one.send({"job": "d"}, delay="1h")
        assert isinstance(delayed, Sent)
        assert delayed.due is not None
        target.ask("SET", keys_of(spec).result + sent.id, "[1]")
        assert one.result(sent) == [1]


def test_errors_are_raised_in_the_calling_thread(target: Target) -> None:
    """Their types are those of the asynchronous producer."""
    with producer(target, pipeline(backlog={"limit": 1})) as one:
        with pytest.raises(NotAsDescribed):
            one.send({})
        one.send({"job": "a"})
        with pytest.raises(BacklogFull):
            one.send({"job": "b"})
        with pytest.raises(ValueError, match="exclude each other"):
            one.send({"job": "c"}, delay=1, at=datetime.now(UTC))


def test_send_many_keeps_the_order(target: Target) -> None:
    """There are more bodies than one chunk holds; an invalid one fails in its place."""
    bodies: list[Any] = jobs(4500)
    bodies[2500] = {"n": 1}
    with producer(target) as one:
        outcomes = one.send_many(bodies)
    assert isinstance(outcomes.pop(2500), Failed)
    assert [outcome.entry for outcome in outcomes if isinstance(outcome, Sent)] == [
        entry.id for entry in entries(target)
    ]


def test_bodies_are_read_in_the_calling_thread(target: Target) -> None:
    """They may come from a database connection of that thread."""
    seen: set[str] = set()

    def bodies() -> Iterator[dict[str, Any]]:
        for body in jobs(10):
            seen.add(threading.current_thread().name)
            yield body

    with producer(target) as one:
        one.send_many(bodies())
    assert seen == {threading.current_thread().name}


def test_threads_can_share_a_producer(target: Target) -> None:
    """Each thread gets its own outcomes."""
    outcomes: dict[int, Sent | Duplicate] = {}

    with producer(target) as one:

        def send(numbers: range) -> None:
            for n in numbers:
                outcomes[n] = one.send({"job": "a", "n": n})

        threads = [threading.Thread(target=send, args=(range(k * 50, k * 50 + 50),)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    data_by_id = {entry.fields["penstock-id"]: entry.fields["data"] for entry in entries(target)}
    assert len(data_by_id) == 400
    assert all(data_by_id[sent.id] == f'{{"job":"a","n":{n}}}' for n, sent in outcomes.items())


def test_it_works_inside_a_running_event_loop(target: Target) -> None:
    """The call blocks that loop."""

    async def scenario() -> None:
        with producer(target) as one:
            assert isinstance(one.send({"job": "a"}), Sent)
        async with Producer(pipeline(), target.redis, credentials=target.credentials) as other:
            await other.send({"job": "b"})

    run_async(scenario())
    assert number(target, "XLEN", STREAM) == 2


def test_no_thread_runs_before_the_first_send() -> None:
    """A server that forks its workers must not have a thread of Penstock yet."""
    before = threading.active_count()
    no_redis = Redis(addresses=[f"{LOOPBACK}:{free_port()}"])
    with SyncProducer(pipeline(send={"attempts": 1}), no_redis, credentials=Credentials()) as one:
        assert threading.active_count() == before
        with pytest.raises(RedisAbsent):
            one.send({"job": "a"})
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with pytest.raises(Closed):
        one.send({"job": "a"})
    one.close()


def test_an_unusable_spec_fails_at_once() -> None:
    """It does not wait for the first send."""
    with pytest.raises(CannotGoOn):
        SyncProducer(pipeline(backlog={"when_full": "drop-oldest"}), Redis(addresses=[f"{LOOPBACK}:1"]))


def test_closing_ends_the_sends_of_other_threads(target: Target) -> None:
    """No thread waits for an event loop that has stopped."""
    outcomes: list[object] = []
    one = producer(target, pipeline(backlog={"limit": 1, "when_full": "wait"}))
    one.send({"job": "a"})

    def send() -> None:
        try:
            outcomes.append(one.send({"job": "b"}))
        except (BacklogFull, Closed) as error:
            outcomes.append(error)

    threads = [threading.Thread(target=send) for _ in range(20)]
    for thread in threads:
        thread.start()
    one.close()
    for thread in threads:
        thread.join(timeout=PATIENCE)
        assert not thread.is_alive()
    assert len(outcomes) == 20
    assert not any(isinstance(outcome, Sent) for outcome in outcomes)


def test_closing_during_send_many_reports_each_outcome(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first chunk is sent; each of the rest fails with `Closed`."""
    monkeypatch.setattr(sync, "CHUNK", 3)
    one = producer(target)

    def bodies() -> Iterator[dict[str, Any]]:
        for n, body in enumerate(jobs(8)):
            if n == 5:
                one.close()
            yield body

    outcomes = one.send_many(bodies())
    assert [isinstance(outcome, Sent) for outcome in outcomes] == [True] * 3 + [False] * 5
    assert all(isinstance(outcome, Failed) and isinstance(outcome.error, Closed) for outcome in outcomes[3:])
    assert len(entries(target)) == 3
    [late] = one.send_many([{"job": "late"}])
    assert isinstance(late, Failed)


@pytest.mark.parametrize("name", ["send", "send_many", "result", "of", "close"])
def test_both_producers_have_the_same_signatures(name: str) -> None:
    """Names, defaults and types are equal."""
    one, other = (inspect.signature(getattr(kind, name)) for kind in (Producer, SyncProducer))
    assert one == other


def test_a_thread_that_fails_to_start_closes_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open event loop would leak sockets."""
    loops: list[asyncio.AbstractEventLoop] = []
    new_event_loop = asyncio.new_event_loop

    def record_loop() -> asyncio.AbstractEventLoop:
        loops.append(new_event_loop())
        return loops[-1]

    def make() -> Producer:
        raise CannotGoOn("not like this")

    monkeypatch.setattr(asyncio, "new_event_loop", record_loop)
    with pytest.raises(CannotGoOn):
        LoopThread(make)
    assert all(loop.is_closed() for loop in loops)


def test_forked_children_send_over_their_own_connections(server: Server) -> None:
    """Parent, children and a grandchild all send, and exit without output on stderr."""
    # Python 3.12 warns about any fork of a process with threads; this test shows that this fork is safe.
    warnings = ("-W", "error::ResourceWarning", "-W", "ignore::DeprecationWarning")
    process = subprocess.run(
        [sys.executable, *warnings, FORKS, server.address],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    bodies = [entry.fields["data"] for entry in entries(server)]
    expected = [
        *(f"parent {n}" for n in range(20)),
        *(f"child {which} {n}" for which in range(2) for n in range(20)),
        *(f"grandchild {n}" for n in range(20)),
    ]
    assert sorted(bodies) == sorted(f'{{"job":"{job}"}}' for job in expected)
    assert len({entry.fields["penstock-id"] for entry in entries(server)}) == len(bodies)
    assert process.stdout.split() == ["True"] * 3
