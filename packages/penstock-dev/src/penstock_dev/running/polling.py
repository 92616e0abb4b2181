"""What goes on beside the processes: looks at Redis, the autoscaler's turns, and questions about latencies."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping

from penstock.wire.errors import RedisTrouble, Refused
from penstock_dev.running.deployment import UNKNOWN, Deployment
from penstock_dev.running.http_get import http_get
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.snapshot import Level

EVERY, SCRAPE = 1.0, 3.0
"""Seconds between two looks at Redis, and at the latencies."""
SHORTEST = 0.02
"""Seconds between two turns of the autoscaler, however fast its clock goes."""


class Poller:
    """At all stations."""

    def __init__(self, deployments: Mapping[str, Deployment], log: LogBuffer, speed: float) -> None:
        """The stations may change meanwhile."""
        self._deployments = deployments
        self._log = log
        self._speed = speed
        self.answers: bool | None = None
        """Whether Redis does; None until it was asked."""
        self.since = time.monotonic()
        """When that has begun."""
        self._looks = 0

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do, as far as was seen twice."""
        return self._looks > 1 and all(one.numbers.idle for one in self._deployments.values())

    def now(self) -> float:
        """By the clock of the autoscaler."""
        return time.monotonic() * self._speed

    async def numbers(self) -> None:
        """Again and again."""
        while True:
            told = [await self._look(deployment) for deployment in list(self._deployments.values())]
            self._hear(answers=all(told))
            await asyncio.sleep(EVERY)

    async def scale(self, janitor: Callable[[], int | None]) -> None:
        """Let each have its turn when it is due. The janitor answers at a port."""
        while True:
            for name, deployment in list(self._deployments.items()):
                if not deployment.scaling.paused and self.now() >= deployment.scaling.due:
                    await self._turn(name, deployment, janitor())
            due = (one.scaling.due for one in self._deployments.values() if not one.scaling.paused)
            left = (min(due, default=math.inf) - self.now()) / self._speed
            await asyncio.sleep(min(max(left, SHORTEST), EVERY))

    async def latencies(self) -> None:
        """Again and again."""
        while True:
            await asyncio.sleep(SCRAPE)
            for deployment in list(self._deployments.values()):
                asked = [
                    (one.child.pid, one.port) for one in deployment.replica_set.replicas if one.was_ready and one.port
                ]
                pages = await asyncio.gather(*(http_get(port, "/metrics") for _, port in asked))
                deployment.latency.look({pid: page for (pid, _), page in zip(asked, pages, strict=True) if page})

    async def _look(self, deployment: Deployment) -> bool:
        """Whether Redis answered."""
        answered = True
        try:
            deployment.numbers = await deployment.workload.look(deployment.link)
        except RedisTrouble as trouble:
            answered = isinstance(trouble, Refused)
            deployment.workload.reset()
            deployment.numbers = UNKNOWN
        deployment.remember()
        return answered

    def _hear(self, *, answers: bool) -> None:
        self._looks = self._looks + 1 if answers else 0
        if answers != self.answers:
            self.answers, self.since = answers, time.monotonic()
            if answers:
                self._log.write("Redis answers")
            else:
                self._log.write("Redis does not answer", level=Level.WARNING)

    async def _turn(self, name: str, deployment: Deployment, janitor: int | None) -> None:
        readings = await deployment.workload.read(deployment.link, janitor)
        wanted, said = deployment.scaling.turn(self.now(), readings, deployment.replica_set.wanted)
        for one in said:
            if one.changed:
                self._log.write(str(one), spec=name)
        deployment.replica_set.want(wanted)
