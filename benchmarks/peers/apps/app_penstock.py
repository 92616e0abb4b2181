"""Penstock: `penstock worker` with leases, fences, a checked schema, metrics and HTTP; `send` and `send_many`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from contextvars import Context
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
        asyncio.get_running_loop().set_task_factory(eager)  # type: ignore[arg-type] # the protocol names less than uvloop passes
    yield


def eager(
    loop: asyncio.AbstractEventLoop,
    coro: Coroutine[Any, Any, Any],
    *,
    context: Context | None = None,
    name: str | None = None,
    **_: object,
) -> asyncio.Task[Any]:
    """As `asyncio.eager_task_factory`, which does not know the arguments of newer versions of uvloop."""
    return asyncio.Task(coro, loop=loop, name=name, context=context, eager_start=True)  # type: ignore[call-arg,unused-ignore] # of Python 3.12


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
