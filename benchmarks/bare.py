"""A simple handwritten worker loop: read a hundred, start a task per message, acknowledge and delete in one pipeline.

It has no leases, retries, fences, checks or metrics: after a crash nothing handles the entries that it had read.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import noop
import redis.asyncio
import uvloop


async def main(port: int, stream: str, group: str, handler: str) -> None:
    """Run until killed."""
    client = redis.asyncio.Redis(port=port)
    handle = getattr(noop, handler)

    async def run(body: bytes) -> None:
        await handle(json.loads(body), None)

    while True:
        read: Any = await client.xreadgroup(group, "bare", {stream: ">"}, count=100, block=5000)
        for _, entries in read:
            await asyncio.gather(*(asyncio.create_task(run(fields[b"data"])) for _, fields in entries))
            ids = [id_ for id_, _ in entries]
            pipe = client.pipeline(transaction=False)
            pipe.xack(stream, group, *ids)
            pipe.xdel(stream, *ids)
            await pipe.execute()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), *sys.argv[2:]))
