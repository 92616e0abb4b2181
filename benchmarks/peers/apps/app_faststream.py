"""FastStream: a stream with a group, a hundred records a read (by default it reads the whole backlog at once).

Nothing is ever deleted from its stream. A second subscriber takes over from lost workers, if there is a lease.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

import hits
import producing
import redis.asyncio as redis
from faststream import FastStream
from faststream.redis import RedisBroker, StreamSub
from producing import Body

broker = RedisBroker(hits.URL, logger=None)
app = FastStream(broker, logger=None)
stream = StreamSub(hits.QUEUE, group="bench", consumer="worker", max_records=100, polling_interval=100)


@broker.subscriber(stream=stream, max_workers=hits.CONCURRENCY)
async def noop(message: dict[str, Any]) -> None:
    await hits.handle(message)


if hits.LEASE:
    lost = StreamSub(hits.QUEUE, group="bench", consumer="worker", max_records=100, min_idle_time=hits.LEASE * 1000)
    broker.subscriber(stream=lost, max_workers=hits.CONCURRENCY)(noop)


@asynccontextmanager
async def producer() -> producing.Connected:
    await broker.connect()
    # Its worker creates the group at the end of the stream, and would never read what was sent before.
    async with redis.Redis.from_url(hits.URL) as client:
        await client.xgroup_create(hits.QUEUE, "bench", "0", mkstream=True)

    async def one(body: Body) -> None:
        await broker.publish(body, stream=hits.QUEUE)

    yield producing.Producer(one)
    await broker.stop()


if __name__ == "__main__":
    producing.serve(producer())
