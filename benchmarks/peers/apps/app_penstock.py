"""Penstock: `penstock worker` with leases, fences, a checked schema, metrics and HTTP; `send` and `send_many`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import hits
import producing
from producing import Body

from penstock import handler

SPEC = """\
kind: pipeline
name: bench
owner: {{team: bench}}
handler: app_penstock:handle
image: registry.example/bench:1.0.0
stream: {{key: "{queue}", group: bench}}
message:
  schema:
    type: object
    required: [i, t]
    properties: {{i: {{type: integer}}, t: {{type: number}}}}
work: {{concurrency: {concurrency}{lease}}}
"""
PLATFORM = """\
kind: platform
environments:
  dev: {{namespace: bench, redis: {{addresses: ["{address}"]}}}}
"""


@asynccontextmanager
async def lifespan() -> AsyncIterator[None]:
    """Try eager tasks if asked to: Python 3.12 and later can start a task without a round through the event loop."""
    if os.environ.get("PEER_EAGER"):
        factory = asyncio.eager_task_factory  # type: ignore[attr-defined,unused-ignore] # of Python 3.12
        asyncio.get_running_loop().set_task_factory(factory)
    yield


@handler(lifespan=lifespan)
async def handle(message: dict[str, Any]) -> None:
    await hits.handle(message)


@asynccontextmanager
async def producer() -> producing.Connected:
    from penstock import Producer

    async with Producer.of("specs/bench.yaml", env="dev") as sender:

        async def many(bodies: Sequence[Body]) -> None:
            await sender.send_many(bodies)

        yield producing.Producer(sender.send, many)


if __name__ == "__main__":
    producing.serve(producer())
    sys.exit()
