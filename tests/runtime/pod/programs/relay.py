"""A minimal fourth role: it moves entries from one list of Redis to another.

`relay.py FOLDER ADDRESS LIVE FATAL` uses the Redis at this address, with these limits. Files in FOLDER make it fail:
`broken` breaks a part, `stuck` delays the drain, `blocked` blocks the event loop, `busy` leaves a thread running.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from pipeline_driver import pipeline

from penstock.observe.events import Event
from penstock.observe.lines import Process
from penstock.observe.logs import Log, set_up
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import NotReady
from penstock.pod.dependencies import Dependencies
from penstock.pod.parts import Parts
from penstock.pod.role import Limits, Pod, Program, Role, Start
from penstock.pod.run import run
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Refused
from penstock_spec.kinds.pipeline.metrics import process
from penstock_spec.platform import Redis

SOURCE, TARGET = "{trial}:from", "{trial}:to"
SOON = 0.05


class Relay:
    """Moves entries; when it drains, it still moves those in the source."""

    def __init__(self, folder: Path, dependencies: Dependencies, log: Log) -> None:
        self._folder = folder
        self._dependencies = dependencies
        self._link = dependencies.link("relay")
        self._stop = asyncio.Event()
        self._parts = Parts(log, self.stop)

    def stop(self) -> None:
        self._stop.set()

    @property
    def is_busy(self) -> bool:
        return (self._folder / "busy").exists()

    async def run(self) -> int:
        self._parts.start("moves", self._move())
        self._parts.start("breaks", self._break())
        await self._stop.wait()
        self._dependencies.readiness.hold(NotReady.DRAINING)
        self._parts.cancel()
        await self._parts.ended()
        while await self._once():
            pass
        while (self._folder / "stuck").exists():  # noqa: ASYNC110 - another process removes the file
            await asyncio.sleep(SOON)
        await self._link.close()
        return self._parts.exit_code(0)

    async def _once(self) -> bool:
        return await self._link.call("LMOVE", SOURCE, TARGET, "LEFT", "RIGHT") is not None

    async def _move(self) -> None:
        while True:
            with suppress(Refused):  # a role outlives errors of Redis
                await self._once()
            self._dependencies.readiness.release(NotReady.STARTING)
            if (self._folder / "blocked").exists():
                time.sleep(3600)  # noqa: ASYNC251 - like a faulty handler
            if self.is_busy:
                threading.Thread(target=time.sleep, args=(3600,)).start()
            await asyncio.sleep(SOON)

    async def _break(self) -> None:
        while not (self._folder / "broken").exists():  # noqa: ASYNC110 - another process makes the file
            await asyncio.sleep(SOON)
        raise ValueError("a secret")


def relay_role(folder: Path, address: str, limits: Limits) -> Role:
    target = pipeline(Redis(addresses=[address]))
    log = Log(logging.getLogger("relay"))

    def build(pod: Pod) -> Program:
        metrics = Metrics.of_spec("janitor", target.spec, pod.collector)  # the contract has no fourth role
        pod.announce(metrics, target.digest, process.INFO)
        relay = Relay(folder, pod.dependencies(target, metrics, process.REDIS_SECONDS), log)
        return Program(
            run=relay.run,
            drain=relay.stop,
            redis=pod.redis_check(target, "LLEN", SOURCE, field="source"),
            is_busy=lambda: relay.is_busy,
        )

    return Role(
        log=log,
        started=Event.WORKER_STARTED,  # the events are a closed set as well
        stopped=Event.WORKER_STOPPED,
        fields={"environment": "tests"},
        limits=limits,
        build=build,
        files_changed=(folder / "changed").exists,
    )


if __name__ == "__main__":
    identity = Process("trial")
    set_up(identity, format_="json", level=logging.INFO)
    folder, address, live, fatal = sys.argv[1:]
    role = relay_role(Path(folder), address, Limits(float(live), float(fatal)))
    sys.exit(run(role, Start(identity, Credentials(), ("127.0.0.1", 0))))
