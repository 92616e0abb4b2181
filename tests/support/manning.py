"""A repository that runs as under `penstock dev`, in the test's own process, with what the keys of the screen do."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date

from developing import SUPPORT, Laptop

from penstock_dev.running.alone import KEPT, alone
from penstock_dev.running.book import Book
from penstock_dev.running.controls import Controls
from penstock_dev.running.launching import Terms
from penstock_dev.running.server import Server
from penstock_dev.running.specs import Asked, Specs
from penstock_dev.running.supervisor import Supervisor


@asynccontextmanager
async def running(laptop: Laptop, server: Server) -> AsyncIterator[Controls]:
    """All of the repository, and the keys."""
    environ = os.environ | {
        "LEDGER": str(laptop.ledger),
        "LEDGER_WORKER": "dev",
        "PYTHONPATH": os.pathsep.join((str(SUPPORT), str(laptop.folder))),
    }
    specs = Specs(Asked((), laptop.folder / "penstock.yaml", "dev", laptop.folder, lambda: date(2026, 1, 1)))
    with alone(laptop.folder / KEPT) as files:
        terms = Terms(laptop.folder, laptop.folder, files, (), 50, environ)
        supervisor = Supervisor(terms, specs, server, Book())
        stop = asyncio.Event()
        task = asyncio.create_task(supervisor.run(specs.read(), stop))
        try:
            await supervisor.begun.wait()
            yield Controls(supervisor)
        finally:
            supervisor.end_now()
            stop.set()
            await task
