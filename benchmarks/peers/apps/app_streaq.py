"""streaQ: `streaq run`, uvloop, no results, coredis in its fast mode, `enqueue_many`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import asynccontextmanager
from typing import Any

import coredis
import hits
import producing
from producing import Body
from streaq import Worker

coredis.Config.optimized = True
lease = {"idle_timeout": hits.LEASE} if hits.LEASE else {}
worker = Worker(
    redis_url=hits.URL, concurrency=hits.CONCURRENCY, queue_name=hits.QUEUE, anyio_kwargs={"use_uvloop": True}, **lease
)


@worker.task(ttl=0, silent=True)
async def noop(message: dict[str, Any]) -> None:
    await hits.handle(message)


@asynccontextmanager
async def producer() -> producing.Connected:
    # The worker's scopes must be entered and left in one task.
    ready, stop = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with worker:
            ready.set()
            await stop.wait()

    held = asyncio.create_task(hold())
    await ready.wait()

    async def one(body: Body) -> None:
        await noop.enqueue(body)

    async def many(bodies: Sequence[Body]) -> None:
        await worker.enqueue_many([noop.enqueue(body) for body in bodies])

    yield producing.Producer(one, many)
    stop.set()
    await held


if __name__ == "__main__":
    # Task names contain the module's name, so the module that `streaq run` imports must be the one that sends.
    import app_streaq

    producing.serve(app_streaq.producer())
    sys.exit()
