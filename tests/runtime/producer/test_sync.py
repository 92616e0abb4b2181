"""The producer whose calls block: the same outcomes, from any thread, and in children that were forked."""

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
def test_it_sends(target: Target) -> None:
    """With all that an asynchronous send can say."""
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


def test_errors_are_raised_where_it_is_called(target: Target) -> None:
    """As themselves."""
    with producer(target, pipeline(backlog={"limit": 1})) as one:
        with pytest.raises(NotAsDescribed):
            one.send({})
        one.send({"job": "a"})
        with pytest.raises(BacklogFull):
            one.send({"job": "b"})
        with pytest.raises(ValueError, match="exclude each other"):
            one.send({"job": "c"}, delay=1, at=datetime.now(UTC))


def test_many_in_order(target: Target) -> None:
    """More than are handed over at once; those that cannot be sent are told in their places."""
    bodies: list[Any] = jobs(4500)
    bodies[2500] = {"n": 1}
    with producer(target) as one:
        outcomes = one.send_many(bodies)
    assert isinstance(outcomes.pop(2500), Failed)
    assert [outcome.entry for outcome in outcomes if isinstance(outcome, Sent)] == [
        entry.id for entry in entries(target)
    ]


def test_bodies_are_taken_in_the_thread_that_sends(target: Target) -> None:
    """They may come from a database whose connection belongs to that thread."""
    seen: set[str] = set()

    def bodies() -> Iterator[dict[str, Any]]:
        for body in jobs(10):
            seen.add(threading.current_thread().name)
            yield body

    with producer(target) as one:
        one.send_many(bodies())
    assert seen == {threading.current_thread().name}


def test_threads_may_share_it(target: Target) -> None:
    """Each is told what became of its own."""
    told: dict[int, Sent | Duplicate] = {}

    with producer(target) as one:

        def send(numbers: range) -> None:
            for n in numbers:
                told[n] = one.send({"job": "a", "n": n})

        threads = [threading.Thread(target=send, args=(range(k * 50, k * 50 + 50),)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    there = {entry.fields["penstock-id"]: entry.fields["data"] for entry in entries(target)}
    assert len(there) == 400
    assert all(there[sent.id] == f'{{"job":"a","n":{n}}}' for n, sent in told.items())


def test_it_works_beside_a_loop(target: Target) -> None:
    """Called where a loop runs, it blocks that, and works."""

    async def scenario() -> None:
        with producer(target) as one:
            assert isinstance(one.send({"job": "a"}), Sent)
        async with Producer(pipeline(), target.redis, credentials=target.credentials) as other:
            await other.send({"job": "b"})

    run_async(scenario())
    assert number(target, "XLEN", STREAM) == 2


def test_nothing_runs_before_the_first_send() -> None:
    """A server that forks its workers must have no thread of ours yet."""
    before = threading.active_count()
    nobody = Redis(addresses=[f"{LOOPBACK}:{free_port()}"])
    with SyncProducer(pipeline(send={"attempts": 1}), nobody, credentials=Credentials()) as one:
        assert threading.active_count() == before
        with pytest.raises(RedisAbsent):
            one.send({"job": "a"})
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with pytest.raises(Closed):
        one.send({"job": "a"})
    one.close()


def test_what_could_never_work_is_told_at_once() -> None:
    """Not by the first send."""
    with pytest.raises(CannotGoOn):
        SyncProducer(pipeline(backlog={"when_full": "drop-oldest"}), Redis(addresses=[f"{LOOPBACK}:1"]))


def test_closing_ends_what_other_threads_wait_for(target: Target) -> None:
    """Nobody is left waiting for a loop that is gone."""
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


def test_closing_among_many_tells_what_became_of_each(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are sent, and the rest are not: nobody has to guess which."""
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
def test_both_producers_are_called_alike(name: str) -> None:
    """Names, defaults and types: whoever knows one knows the other."""
    one, other = (inspect.signature(getattr(kind, name)) for kind in (Producer, SyncProducer))
    assert one == other


def test_a_thread_that_cannot_begin_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a loop, which has sockets of its own."""
    loops: list[asyncio.AbstractEventLoop] = []
    new_event_loop = asyncio.new_event_loop

    def noted() -> asyncio.AbstractEventLoop:
        loops.append(new_event_loop())
        return loops[-1]

    def make() -> Producer:
        raise CannotGoOn("not like this")

    monkeypatch.setattr(asyncio, "new_event_loop", noted)
    with pytest.raises(CannotGoOn):
        LoopThread(make)
    assert all(loop.is_closed() for loop in loops)


def test_forked_children_send_on_their_own(server: Server) -> None:
    """A parent that has sent forks twice; all three send, over connections of their own, and end without a word."""
    # Python 3.12 warns of any fork of a process with threads; that this one is right is what is shown here.
    warnings = ("-W", "error::ResourceWarning", "-W", "ignore::DeprecationWarning")
    done = subprocess.run(
        [sys.executable, *warnings, FORKS, server.address],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = [entry.fields["data"] for entry in entries(server)]
    expected = [
        *(f"parent {n}" for n in range(20)),
        *(f"child {which} {n}" for which in range(2) for n in range(20)),
        *(f"grandchild {n}" for n in range(20)),
    ]
    assert sorted(said) == sorted(f'{{"job":"{job}"}}' for job in expected)
    assert len({entry.fields["penstock-id"] for entry in entries(server)}) == len(said)
    assert done.stdout.split() == ["True"] * 3
