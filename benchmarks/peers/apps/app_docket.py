"""docket: its Worker with uvloop, no results kept, `add_many`.

With every slot busy it sleeps for `minimum_check_interval`, 250 ms by default: 5 ms is for the drain.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import hits
import producing
from docket import Docket, Worker
from producing import Body


async def noop(message: dict[str, Any]) -> None:
    await hits.handle(message)


def docket() -> Docket:
    made = Docket(name=hits.QUEUE, url=hits.URL, execution_ttl=timedelta(0))
    made.register(noop)
    return made


async def worker() -> None:
    logging.disable(logging.WARNING)
    lease = {"redelivery_timeout": timedelta(seconds=hits.LEASE)} if hits.LEASE else {}
    pause = timedelta(milliseconds=int(os.environ.get("PEER_POLL_MS", "250")))
    async with (
        docket() as joined,
        Worker(joined, concurrency=hits.CONCURRENCY, minimum_check_interval=pause, **lease) as running,
    ):
        await running.run_forever()


@asynccontextmanager
async def producer() -> producing.Connected:
    async with docket() as joined:

        async def one(body: Body) -> None:
            await joined.add(noop)(body)

        async def many(bodies: Sequence[Body]) -> None:
            await joined.add_many([joined.call(noop)(body) for body in bodies])

        yield producing.Producer(one, many)


if __name__ == "__main__":
    if sys.argv[1] == "producer":
        producing.serve(producer())
    else:
        import uvloop

        uvloop.run(worker())
