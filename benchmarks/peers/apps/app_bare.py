"""The bare loop: redis-py, read a hundred, handle, acknowledge and delete in one pipeline. No promise of any kind.

`inline` awaits one handler after the other, `tasks` starts a task per message.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import asynccontextmanager
from typing import Any

import hits
import producing
import redis.asyncio as redis
from producing import Body

GROUP = "bench"


async def run(body: bytes) -> None:
    await hits.handle(json.loads(body))


async def worker(variant: str) -> None:
    client = redis.Redis.from_url(hits.URL)
    while True:
        read: Any = await client.xreadgroup(GROUP, "bare", {hits.QUEUE: ">"}, count=hits.CONCURRENCY, block=2000)
        for _, entries in read or ():
            if variant == "inline":
                for _, fields in entries:
                    await run(fields[b"data"])
            else:
                await asyncio.gather(*(asyncio.create_task(run(fields[b"data"])) for _, fields in entries))
            ids = [id_ for id_, _ in entries]
            async with client.pipeline(transaction=False) as pipe:
                pipe.xack(hits.QUEUE, GROUP, *ids)
                pipe.xdel(hits.QUEUE, *ids)
                await pipe.execute()


@asynccontextmanager
async def producer() -> producing.Connected:
    async with redis.Redis.from_url(hits.URL) as client:
        await client.xgroup_create(hits.QUEUE, GROUP, "0", mkstream=True)

        async def one(body: Body) -> None:
            await client.xadd(hits.QUEUE, {"data": json.dumps(body)})

        async def many(bodies: Sequence[Body]) -> None:
            async with client.pipeline(transaction=False) as pipe:
                for body in bodies:
                    pipe.xadd(hits.QUEUE, {"data": json.dumps(body)})
                await pipe.execute()

        yield producing.Producer(one, many)


if __name__ == "__main__":
    if sys.argv[1] == "producer":
        producing.serve(producer())
    else:
        import uvloop

        uvloop.run(worker(sys.argv[1]))
