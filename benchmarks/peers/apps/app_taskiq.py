"""taskiq with taskiq-redis: RedisStreamBroker, which acknowledges after the task; `taskiq worker`, no results.

Nothing is ever deleted from its stream.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

import hits
import producing
from producing import Body
from taskiq.serializers import ORJSONSerializer
from taskiq_redis import RedisStreamBroker

lease = {"idle_timeout": hits.LEASE * 1000, "unacknowledged_lock_timeout": hits.LEASE} if hits.LEASE else {}
broker = RedisStreamBroker(
    hits.URL, queue_name=hits.QUEUE, consumer_group_name="bench", xread_count=100, **lease
).with_serializer(ORJSONSerializer())


@broker.task(task_name="noop")
async def noop(message: dict[str, Any]) -> None:
    await hits.handle(message)


@asynccontextmanager
async def producer() -> producing.Connected:
    await broker.startup()

    async def one(body: Body) -> None:
        await noop.kiq(body)

    yield producing.Producer(one)
    await broker.shutdown()


if __name__ == "__main__":
    producing.serve(producer())
