"""arq: its command with uvloop, no results kept. `poll_delay` is 0.5 s by default: 10 ms is for the drain."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from typing import Any

import hits
import producing
from arq import create_pool
from arq.connections import RedisSettings
from producing import Body

REDIS = RedisSettings.from_dsn(hits.URL)


async def noop(_: dict[str, Any], message: dict[str, Any]) -> None:
    await hits.handle(message)


class WorkerSettings:
    functions = (noop,)
    redis_settings = REDIS
    queue_name = hits.QUEUE
    max_jobs = hits.CONCURRENCY
    keep_result = 0
    poll_delay = int(os.environ.get("PEER_POLL_MS", "500")) / 1000
    health_check_interval = 3600
    job_timeout = hits.LEASE or 300


@asynccontextmanager
async def producer() -> producing.Connected:
    pool = await create_pool(REDIS, default_queue_name=hits.QUEUE)

    async def one(body: Body) -> None:
        await pool.enqueue_job("noop", body)

    yield producing.Producer(one)
    await pool.aclose()


if __name__ == "__main__":
    if sys.argv[1] == "producer":
        producing.serve(producer())
    else:
        import uvloop
        from arq.cli import cli

        uvloop.install()
        sys.argv = ["arq", "app_arq.WorkerSettings"]
        cli()
