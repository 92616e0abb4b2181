"""Periodic tasks beside the processes: reading Redis, running the autoscalers, scraping latencies."""

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

READ_INTERVAL, SCRAPE_INTERVAL = 1.0, 3.0
"""Seconds between reads of Redis, and between scrapes of latencies."""
MIN_INTERVAL = 0.02
"""Minimum seconds between autoscaler runs, at any speed."""


class Poller:
    """Polls all deployments."""

    def __init__(self, deployments: Mapping[str, Deployment], log: LogBuffer, speed: float) -> None:
        """`deployments` may change while it runs."""
        self._deployments = deployments
        self._log = log
        self._speed = speed
        self.reachable: bool | None = None
        """Whether Redis responds; None before the first read."""
        self.since = time.monotonic()
        """When `reachable` last changed."""
        self._reads = 0

    @property
    def idle(self) -> bool:
        """Whether nothing is pending, in at least two reads."""
        return self._reads > 1 and all(one.measured.idle for one in self._deployments.values())

    def now(self) -> float:
        """The time on the autoscaler's clock."""
        return time.monotonic() * self._speed

    async def measure(self) -> None:
        """Read Redis every second, forever."""
        while True:
            responded = [await self._measure(deployment) for deployment in list(self._deployments.values())]
            self._set_reachable(reachable=all(responded))
            await asyncio.sleep(READ_INTERVAL)

    async def scale(self, janitor: Callable[[], int | None]) -> None:
        """Run each autoscaler when it is due, forever. `janitor` returns the port of its HTTP server."""
        while True:
            for name, deployment in list(self._deployments.items()):
                if not deployment.scaling.paused and self.now() >= deployment.scaling.due:
                    await self._autoscale(name, deployment, janitor())
            due = (one.scaling.due for one in self._deployments.values() if not one.scaling.paused)
            left = (min(due, default=math.inf) - self.now()) / self._speed
            await asyncio.sleep(min(max(left, MIN_INTERVAL), READ_INTERVAL))

    async def latencies(self) -> None:
        """Scrape latencies, forever."""
        while True:
            await asyncio.sleep(SCRAPE_INTERVAL)
            for deployment in list(self._deployments.values()):
                ports = [
                    (one.child.pid, one.port) for one in deployment.replica_set.replicas if one.was_ready and one.port
                ]
                pages = await asyncio.gather(*(http_get(port, "/metrics") for _, port in ports))
                deployment.latency.add({pid: page for (pid, _), page in zip(ports, pages, strict=True) if page})

    async def _measure(self, deployment: Deployment) -> bool:
        """Measure one deployment; returns whether Redis responded."""
        responded = True
        try:
            deployment.measured = await deployment.workload.measure(deployment.link)
        except RedisTrouble as error:
            responded = isinstance(error, Refused)
            deployment.workload.reset()
            deployment.measured = UNKNOWN
        deployment.record_history()
        return responded

    def _set_reachable(self, *, reachable: bool) -> None:
        self._reads = self._reads + 1 if reachable else 0
        if reachable != self.reachable:
            self.reachable, self.since = reachable, time.monotonic()
            if reachable:
                self._log.write("Redis is reachable")
            else:
                self._log.write("Redis is unreachable", level=Level.WARNING)

    async def _autoscale(self, name: str, deployment: Deployment, janitor: int | None) -> None:
        readings = await deployment.workload.readings(deployment.link, janitor)
        wanted, decisions = deployment.scaling.advance(self.now(), readings, deployment.replica_set.wanted)
        for one in decisions:
            if one.changed:
                self._log.write(str(one), spec=name)
        deployment.replica_set.scale_to(wanted)
