"""As many processes of one spec as are wanted, as a Deployment keeps its pods: what ends is started again."""

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
"""Seconds before a process is started again that has ended before it was ready, or soon after."""
LONG = 10.0
"""Seconds after which a process that ends was no failed start."""
BEYOND_GRACE = 2.0

MakeLaunch = Callable[[int], Launch]
"""How the process of this number is started, as things are now."""


class ReplicaSet:
    """The processes of one spec."""

    def __init__(
        self,
        name: str,
        launch: MakeLaunch,
        log: LogBuffer,
        *,
        grace: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nobody is wanted yet. `grace` is what a process has to leave, as a pod does."""
        self.name = name
        self.wanted = 0
        self.grace = grace
        self.trouble = ""
        """Why no process comes to work, as long as none does."""
        self.replicas: list[Replica] = []
        self.started = 0
        """How many there ever were."""
        self._launch = launch
        self._log = log
        self._clock = clock
        self._failures = 0
        self._not_before = 0.0
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def here(self) -> list[Replica]:
        """Those that are not about to leave."""
        return [one for one in self.replicas if not one.told_to_leave]

    @property
    def ready(self) -> int:
        """How many work."""
        return sum(one.state is WorkerState.READY for one in self.replicas)

    def want(self, count: int) -> None:
        """So many, soon."""
        if count != self.wanted:
            self.wanted = count
            self._wake.set()

    def wake(self) -> None:
        """See at once whether there is something to do."""
        self._wake.set()

    def renew(self) -> None:
        """What they run has changed: these leave, others come; what could not start is tried at once."""
        self._failures, self._not_before = 0, 0.0
        for one in self.here:
            self._tell_to_leave(one)
        self._wake.set()

    def kill(self, named: str | None, busy: dict[str, int]) -> Replica:
        """SIGKILL for one. Raises CannotGoOn."""
        among = [one for one in self.replicas if named in (None, one.name)]
        if not among:
            if named:
                raise CannotGoOn(f"there is no worker `{named}` of `{self.name}` any more")
            raise CannotGoOn(f"`{self.name}` has no worker now", "send a message, and one comes")
        one = max(among, key=lambda one: (one.state is WorkerState.READY, busy.get(one.name, 0)))
        one.child.kill()
        return one

    async def run(self) -> None:
        """Keep as many as are wanted."""
        while not self._closed:
            self._adjust()
            self._wake.clear()
            left = self._not_before - self._clock() if len(self.here) < self.wanted else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(left, 0.01) if left is not None and left > 0 else None):
                    await self._wake.wait()

    async def leave(self, patience: float) -> int:
        """All of them, for good: asked first, and made to after so many seconds. Gives how many were made to."""
        self._closed, self.wanted = True, 0
        self._wake.set()
        for one in self.here:
            self._tell_to_leave(one)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._gone()
        left = len(self.replicas)
        self.end()
        await self._gone()
        return left

    def end(self) -> None:
        """SIGKILL for all."""
        for one in self.replicas:
            one.child.kill()

    async def _gone(self) -> None:
        while self.replicas:
            await self.replicas[0].child.ended.wait()
            await asyncio.sleep(0)

    def _adjust(self) -> None:
        here = self.here
        for one in sorted(here, key=_first_to_go)[: max(0, len(here) - self.wanted)]:
            self._tell_to_leave(one)
        missing = self.wanted - len(here)
        if missing <= 0 or self._clock() < self._not_before:
            return
        if self.trouble:  # one tries for all
            missing = 0 if any(one.state is WorkerState.STARTING for one in here) else 1
        for _ in range(missing):
            self._start()

    def _start(self) -> None:
        self.started += 1
        try:
            launch = self._launch(self.started)
            replica = Replica(f"{self.name}-{self.started}", launch, self.name, self._log, self._changed)
        except OSError as error:  # too many processes, or a folder that is gone
            self._cannot_start(error.strerror or str(error))
            return
        self.replicas.append(replica)
        task = asyncio.create_task(self._follow(replica))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, replica: Replica) -> None:
        await replica.child.ended.wait()
        self.replicas.remove(replica)
        await replica.child.heard()
        if not replica.told_to_leave and not self._closed:
            self._ended(replica)
        self._wake.set()

    def _ended(self, replica: Replica) -> None:
        if replica.child.code == 0:
            return
        if not replica.was_ready:
            self._cannot_start(replica.why())
            return
        self._say(f"{replica.name} {_how(replica)}; another one comes", Level.WARNING)
        self._failures = 0 if replica.child.age > LONG else self._failures + 1
        if self._failures > 1:
            self._wait()

    def _cannot_start(self, why: str) -> None:
        """The reason is told once."""
        self._failures += 1
        self._wait()
        if why != self.trouble:
            self.trouble = why
            self._say(f"no process can start: {why}", Level.ERROR)

    def _wait(self) -> None:
        self._not_before = self._clock() + WAITS[min(self._failures, len(WAITS)) - 1]

    def _changed(self) -> None:
        """One is ready."""
        if self.trouble:
            self.trouble = ""
            self._say("processes can start again", Level.INFO)
            self._failures = 0
        self._wake.set()

    def _tell_to_leave(self, replica: Replica) -> None:
        replica.leave()
        asyncio.get_running_loop().call_later(self.grace + BEYOND_GRACE, replica.child.kill)

    def _say(self, text: str, level: Level) -> None:
        self._log.write(text, level=level, spec=self.name)


def _first_to_go(replica: Replica) -> tuple[bool, float]:
    """As Kubernetes chooses pods: those that are not ready, then the newest."""
    return (replica.state is WorkerState.READY, replica.child.age)


def _how(replica: Replica) -> str:
    code = replica.child.code or 0
    if code >= 0:
        return f"has ended: {replica.why()}"
    return f"was killed by {signal.Signals(-code).name}"
