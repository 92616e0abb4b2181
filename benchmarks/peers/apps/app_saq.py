"""SAQ: its command with uvloop and orjson, no results kept."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from typing import Any

import hits
import orjson
import producing
from producing import Body
from saq import Queue

queue = Queue.from_url(hits.URL, name=hits.QUEUE, dump=orjson.dumps, load=orjson.loads, max_concurrent_ops=50)


async def noop(_: dict[str, Any], *, message: dict[str, Any]) -> None:
    await hits.handle(message)


settings = {
    "queue": queue,
    "functions": [noop],
    "concurrency": hits.CONCURRENCY,
    **({"timers": {"sweep": max(1, hits.LEASE // 2)}} if hits.LEASE else {}),
}


@asynccontextmanager
async def producer() -> producing.Connected:
    await queue.connect()
    # A swept job counts as a try, and by default there is one.
    limits = {"timeout": hits.LEASE, "retries": 2} if hits.LEASE else {}

    async def one(body: Body) -> None:
        await queue.enqueue("noop", message=body, ttl=-1, **limits)

    yield producing.Producer(one)
    await queue.disconnect()


if __name__ == "__main__":
    if sys.argv[1] == "producer":
        producing.serve(producer())
    else:
        import uvloop
        from saq.__main__ import main

        uvloop.install()
        sys.argv = ["saq", "app_saq.settings", "--quiet"]
        main()
