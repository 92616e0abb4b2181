"""The wanted number of processes is kept running, with a backoff for those that cannot start."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from event_loop import run_async, until

from penstock.observe.events import Event
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.replica import Launch
from penstock_dev.running.replica_set import WAITS, ReplicaSet
from penstock_dev.snapshot import WorkerState

READY = 'print(\'{"message": "Joined", "event": "consumer.joined"}\', flush=True)\n'
STAYS = f"{READY}import signal\nsignal.pause()\n"


class Clock:
    """Moved by the test."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def run_replica_set(
    folder: Path, code: Callable[[int], str], scenario: Callable[[ReplicaSet, Clock], Coroutine[Any, Any, None]]
) -> LogBuffer:
    """Run a replica set whose processes run the code for their number."""
    log, clock = LogBuffer(), Clock()

    def launch(number: int) -> Launch:
        return Launch((sys.executable, "-c", code(number)), folder, os.environ, frozenset({Event.CONSUMER_JOINED}))

    async def within() -> None:
        replica_set = ReplicaSet("trial", launch, log, grace=5, clock=clock)
        running = asyncio.create_task(replica_set.run())
        try:
            await scenario(replica_set, clock)
        finally:
            replica_set.kill_all()
            await replica_set.stop(5)
            await running

    run_async(within())
    return log


def was_tried(replica_set: ReplicaSet, count: int) -> bool:
    """Whether this many were started, and none is left."""
    return replica_set.start_count == count and not replica_set.replicas


def test_failing_starts_back_off_and_are_logged_once(tmp_path: Path) -> None:
    """One process tries for all; after a restart of the set it tries at once."""

    async def scenario(replica_set: ReplicaSet, clock: Clock) -> None:
        replica_set.scale_to(3)
        await until(lambda: replica_set.start_error and not replica_set.replicas, "they have failed")
        first = replica_set.start_count
        assert first == 3
        for count in range(first + 1, first + 4):
            clock.now += WAITS[-1]
            replica_set.wake()
            await until(partial(was_tried, replica_set, count), "one was tried")
        before = replica_set.start_count
        replica_set.wake()
        replica_set.restart()
        await until(lambda: replica_set.start_count == before + 1, "it was tried at once")

    log = run_replica_set(
        tmp_path, lambda _: "print('error: no\\nhint: do', flush=True)\nraise SystemExit(2)", scenario
    )
    assert [line.text for line in log.lines if not line.worker] == ["cannot start: no; do"]


def test_a_lost_process_is_replaced_at_once_and_then_with_a_backoff(tmp_path: Path) -> None:
    async def scenario(replica_set: ReplicaSet, clock: Clock) -> None:
        replica_set.scale_to(1)
        for count in (1, 2):
            await until(lambda: replica_set.ready == 1, "it is ready")
            assert replica_set.start_count == count
            child = replica_set.kill(None, {}).child
            await child.ended.wait()
            await until(lambda: child not in [one.child for one in replica_set.replicas], "it is gone")  # noqa: B023 - awaited
        await until(lambda: not replica_set.replicas, "none is left")
        assert replica_set.start_count == 2
        clock.now += WAITS[-1]
        replica_set.wake()
        await until(lambda: replica_set.ready == 1, "starting a replacement")

    run_replica_set(tmp_path, lambda _: STAYS, scenario)


def test_processes_stop_in_kubernetes_order(tmp_path: Path) -> None:
    """Those that are not ready first, then the newest."""

    async def scenario(replica_set: ReplicaSet, _: Clock) -> None:
        replica_set.scale_to(2)
        await until(lambda: replica_set.ready == 2, "two are ready")
        oldest = replica_set.replicas[0]
        replica_set.scale_to(3)
        await until(lambda: len(replica_set.replicas) == 3, "a third one starts")
        third = replica_set.replicas[2]
        replica_set.scale_to(2)
        await until(lambda: third not in replica_set.replicas, "it has stopped")
        assert {one.state for one in replica_set.replicas} == {WorkerState.READY}
        replica_set.scale_to(1)
        await until(lambda: replica_set.replicas == [oldest], "the newest has stopped")

    run_replica_set(tmp_path, lambda number: STAYS if number < 3 else "import signal\nsignal.pause()", scenario)


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    async def scenario(replica_set: ReplicaSet, _: Clock) -> None:
        replica_set.scale_to(1)
        await until(lambda: replica_set.start_error == "No such file or directory", "it is reported")

    run_replica_set(tmp_path / "gone", lambda _: STAYS, scenario)
