"""Keeps the wanted number of processes of one spec running, as a ReplicaSet does with pods."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable

from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.replica import Launch, Replica
from penstock_dev.snapshot import Level, WorkerState
from penstock_spec.findings import CannotGoOn

WAITS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds of backoff after processes that exited before they were ready, or soon after."""
LONG_RUN = 10.0
"""Seconds; a process that ran longer resets the backoff."""
KILL_DELAY = 2.0
"""Seconds after the grace period until SIGKILL."""

MakeLaunch = Callable[[int], Launch]
"""Returns how to start the process with this number, by the current spec."""


class ReplicaSet:
    """The replicas of one spec."""

    def __init__(
        self,
        name: str,
        launch: MakeLaunch,
        log: LogBuffer,
        *,
        grace: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with no wanted replicas. `grace` is the time that a replica gets to shut down, as for a pod."""
        self.name = name
        self.wanted = 0
        self.grace = grace
        self.start_error = ""
        """Why no process starts; empty once one is ready."""
        self.replicas: list[Replica] = []
        self.start_count = 0
        """Processes started so far."""
        self._launch = launch
        self._log = log
        self._clock = clock
        self._failures = 0
        self._not_before = 0.0
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def active(self) -> list[Replica]:
        """The replicas that are not shutting down."""
        return [one for one in self.replicas if not one.stopping]

    @property
    def ready(self) -> int:
        """The number of ready replicas."""
        return sum(one.state is WorkerState.READY for one in self.replicas)

    def scale_to(self, count: int) -> None:
        """Set the number of wanted replicas."""
        if count != self.wanted:
            self.wanted = count
            self._wake.set()

    def wake(self) -> None:
        """Run the control loop now."""
        self._wake.set()

    def restart(self) -> None:
        """Replace all replicas, and reset the backoff: code or spec has changed."""
        self._failures, self._not_before = 0, 0.0
        for one in self.active:
            self._stop(one)
        self._wake.set()

    def kill(self, named: str | None, busy: dict[str, int]) -> Replica:
        """Send SIGKILL to one: the named one, or the busiest. Raises CannotGoOn."""
        candidates = [one for one in self.replicas if named in (None, one.name)]
        if not candidates:
            if named:
                raise CannotGoOn(f"`{self.name}` has no worker `{named}`")
            raise CannotGoOn(f"`{self.name}` has no running worker", "send a message to start one")
        one = max(candidates, key=lambda one: (one.state is WorkerState.READY, busy.get(one.name, 0)))
        one.child.kill()
        return one

    async def run(self) -> None:
        """Keep the wanted number of replicas running."""
        while not self._closed:
            self._adjust()
            self._wake.clear()
            left = self._not_before - self._clock() if len(self.active) < self.wanted else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(left, 0.01) if left is not None and left > 0 else None):
                    await self._wake.wait()

    async def stop(self, patience: float) -> int:
        """Stop all replicas for good, and kill those left after `patience` seconds. Returns how many were killed."""
        self._closed, self.wanted = True, 0
        self._wake.set()
        for one in self.active:
            self._stop(one)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._gone()
        left = len(self.replicas)
        self.kill_all()
        await self._gone()
        return left

    def kill_all(self) -> None:
        """Send SIGKILL to all replicas."""
        for one in self.replicas:
            one.stopping = True  # its exit is not a failed start
            one.child.kill()

    async def _gone(self) -> None:
        while self.replicas:
            await self.replicas[0].child.ended.wait()
            await asyncio.sleep(0)

    def _adjust(self) -> None:
        active = self.active
        for one in sorted(active, key=_stop_order)[: max(0, len(active) - self.wanted)]:
            self._stop(one)
        missing = self.wanted - len(active)
        if missing <= 0 or self._clock() < self._not_before:
            return
        if self.start_error:  # try with one replica first
            missing = 0 if any(one.state is WorkerState.STARTING for one in active) else 1
        for _ in range(missing):
            self._start()

    def _start(self) -> None:
        self.start_count += 1
        try:
            launch = self._launch(self.start_count)
            replica = Replica(f"{self.name}-{self.start_count}", launch, self.name, self._log, self._on_ready)
        except OSError as error:  # too many processes, or a missing folder
            self._start_failed(error.strerror or str(error))
            return
        self.replicas.append(replica)
        task = asyncio.create_task(self._follow(replica))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, replica: Replica) -> None:
        await replica.child.ended.wait()
        self.replicas.remove(replica)
        await replica.child.drain_output()
        if not replica.stopping and not self._closed:
            self._on_exit(replica)
        self._wake.set()

    def _on_exit(self, replica: Replica) -> None:
        if replica.child.code == 0:
            return
        if not replica.was_ready:
            self._start_failed(replica.exit_reason())
            return
        self._write(f"{replica.name} {_exit_text(replica)}; starting a replacement", Level.WARNING)
        self._failures = 0 if replica.child.age > LONG_RUN else self._failures + 1
        if self._failures > 1:
            self._back_off()

    def _start_failed(self, reason: str) -> None:
        """Log each reason once."""
        self._failures += 1
        self._back_off()
        if reason != self.start_error:
            self.start_error = reason
            self._write(f"cannot start: {reason}", Level.ERROR)

    def _back_off(self) -> None:
        self._not_before = self._clock() + WAITS[min(self._failures, len(WAITS)) - 1]

    def _on_ready(self) -> None:
        if self.start_error:
            self.start_error = ""
            self._write("can start again", Level.INFO)
            self._failures = 0
        self._wake.set()

    def _stop(self, replica: Replica) -> None:
        replica.stop()
        asyncio.get_running_loop().call_later(self.grace + KILL_DELAY, replica.child.kill)

    def _write(self, text: str, level: Level) -> None:
        self._log.write(text, level=level, spec=self.name)


def _stop_order(replica: Replica) -> tuple[bool, float]:
    """Kubernetes' order: replicas that are not ready, then the newest."""
    return (replica.state is WorkerState.READY, replica.child.age)


def _exit_text(replica: Replica) -> str:
    code = replica.child.code or 0
    if code >= 0:
        return f"exited: {replica.exit_reason()}"
    return f"was killed by {signal.Signals(-code).name}"
