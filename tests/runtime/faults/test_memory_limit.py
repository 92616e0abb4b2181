"""A pod with a memory limit for one copy of its handler, as Kubernetes sets it for all processes together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from consumer_leases import take_over
from ledger import by_message, read
from memory_limits import MemoryLimit
from pipelines import KEY, Process, Trial
from servers import wait_for

from penstock.observe.events import Event

MEBIBYTE = 1 << 20
LIMIT = 256 * MEBIBYTE
HANDLERS = """\
import asyncio, pathlib
import ledger

CODE = bytearray(b"x" * (80 << 20))

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    data = bytearray(b"x" * (50 << 20))
    if message["id"] == "first":
        while not pathlib.Path("free").exists():
            await asyncio.sleep(0.02)
    else:
        await asyncio.sleep(0.2)
    ledger.note("end", message["id"], context.fence)
    del data
"""
SPEC = """\
work: {concurrency: 1, lease: 10s, timeout: 60s}
retries: {attempts: 2, backoff: {first: 100ms}}
"""


class Pod:
    """A pod with one worker: when the worker is killed, Kubernetes starts it again under the same limit."""

    def __init__(self, trial: Trial, limit: MemoryLimit) -> None:
        self._trial = trial
        self._limit = limit
        self.lives = 0
        self.worker = self.start()

    def start(self) -> Process:
        self.lives += 1
        options = ("--redis", self._trial.target.url, "--listen", "127.0.0.1:0")
        self.worker = self._trial.start(
            "worker", "trial", *options, environ=self._limit.environ(), module="limited_process"
        )
        self._limit.add(self.worker.process.pid)
        return self.worker

    def keep_running(self) -> None:
        if self.worker.process.poll() is not None:
            self.start()


@pytest.fixture
def limit(tmp_path: Path) -> Iterator[MemoryLimit]:
    with MemoryLimit(LIMIT, tmp_path) as limit:
        yield limit


def consumer_of(worker: Process) -> str:
    [consumer] = {str(line["consumer"]) for line in worker.events(Event.CONSUMER_JOINED)}
    return consumer


def test_a_killed_pod_buries_no_message(make_trial: Callable[..., Trial], limit: MemoryLimit) -> None:
    """The import takes 80 MiB, a message 50 MiB. After one `kill -9`, all messages are done within the limit.

    A suspect in a child process would need the worker, the import again in the fork server, and the message.
    """
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        pod = Pod(trial, limit)
        pod.worker.ready()
        names = ["first", *(f"m{number}" for number in range(6))]
        trial.send({"id": name} for name in names)
        wait_for(lambda: "first" in by_message(read(trial.ledger), "start"), "the first message runs")
        killed = pod.worker
        killed.kill()
        (trial.folder / "free").touch()
        pod.start()
        pod.worker.ready()
        take_over(trial, consumer_of(killed))

        def is_drained() -> bool:
            pod.keep_running()
            return trial.left() == 0

        wait_for(is_drained, "all messages are done or dead")
        assert trial.dead() == []
        assert set(by_message(read(trial.ledger), "end")) == set(names)
        assert (limit.kills, pod.lives) == (0, 2)
        assert pod.worker.end() == 0
        trial.assert_nothing_left()


SMALL = """\
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    ledger.note("end", message["id"], context.fence)
"""
HUGE = [70_000_000, 100_000_000]
"""Bytes that one answer still fits, and that no answer fits: such an answer is dropped, and the message claimed."""


@pytest.mark.parametrize("huge", HUGE)
def test_a_message_larger_than_the_memory_kills_no_worker(
    make_trial: Callable[..., Trial], limit: MemoryLimit, huge: int
) -> None:
    """A foreign sender adds it. It is buried inside Redis, and all other messages are done."""
    with make_trial(handlers=SMALL, spec="work: {concurrency: 16, lease: 10s}\nretries: {attempts: 2}\n") as trial:
        trial.send([{"id": "before"}])
        trial.ask("XADD", KEY, "*", "data", b'{"id": "huge", "more": "' + huge * b"x" + b'"}', "note", b"\x00kept")
        trial.send([{"id": "after"}])
        pod = Pod(trial, limit)
        pod.worker.ready()

        def is_drained() -> bool:
            pod.keep_running()
            return trial.left() == 0

        wait_for(is_drained, "the message is dead, all others are done")
        assert set(by_message(read(trial.ledger), "end")) == {"before", "after"}
        [letter] = trial.dead()
        assert letter["penstock-dead-reason"] == "unreadable"
        assert letter["penstock-dead-error"].startswith(f"too-large: the body has {huge + 26} bytes")
        assert (letter["penstock-dead-attempts"], letter["note"]) == ("1", "\x00kept")
        assert len(letter["data"]) == huge + 26
        assert (limit.kills, pod.lives) == (0, 1)
        assert limit.peak < LIMIT
        assert pod.worker.end() == 0
        trial.assert_nothing_left()
