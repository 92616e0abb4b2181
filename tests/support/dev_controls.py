"""Runs a repository as `penstock dev` does, in the test's own process, and offers the actions of the screen's keys."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date

from dev_session import SUPPORT, Laptop

from penstock_dev.running.control import SupervisorControl
from penstock_dev.running.instance_lock import FOLDER, instance_lock
from penstock_dev.running.launching import DevOptions
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.server import RedisServer
from penstock_dev.running.spec_loader import SpecLoader, SpecSelection
from penstock_dev.running.supervisor import Supervisor


@asynccontextmanager
async def running(laptop: Laptop, server: RedisServer) -> AsyncIterator[SupervisorControl]:
    """Run all specs of the repository."""
    environ = os.environ | {
        "LEDGER": str(laptop.ledger),
        "LEDGER_WORKER": "dev",
        "PYTHONPATH": os.pathsep.join((str(SUPPORT), str(laptop.folder))),
    }
    specs = SpecLoader(
        SpecSelection((), laptop.folder / "penstock.yaml", "dev", laptop.folder, lambda: date(2026, 1, 1))
    )
    with instance_lock(laptop.folder / FOLDER) as files:
        options = DevOptions(laptop.folder, laptop.folder, files, (), 50, environ)
        supervisor = Supervisor(options, specs, server, LogBuffer())
        stop = asyncio.Event()
        task = asyncio.create_task(supervisor.run(specs.read(), stop))
        try:
            await supervisor.started.wait()
            yield SupervisorControl(supervisor)
        finally:
            supervisor.kill_all()
            stop.set()
            await task
