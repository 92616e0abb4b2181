"""What the janitor tells over HTTP: how long the oldest message of a pipeline has waited, for KEDA; how Redis is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus

from penstock.janitor.sight import Sight
from penstock.observe.health import HealthServer, RedisHealth, Route
from penstock.observe.http import Answer, Request
from penstock.wire.link import Link


def serve(server: HealthServer, sights: Sequence[Sight], link: Callable[[], Link]) -> None:
    """The janitor's own pages. `link` makes a connection for one question in the server's own thread."""
    for sight in sights:
        server.add(f"/pipelines/{sight.name}/oldest", _oldest(sight))

    async def redis() -> RedisHealth:
        asked, loop = link(), asyncio.get_running_loop()
        try:
            await asked.call("PING")
            began = loop.time()
            await asked.call("PING")
            ping = loop.time() - began
        finally:
            await asked.close()
        return RedisHealth(ping, group=all((last := sight.last()) and last.groups for sight in sights))

    server.add_redis(redis)


def _oldest(sight: Sight) -> Route:
    async def answer(_request: Request) -> Answer:
        last = sight.last()
        if last is None:  # KEDA then leaves the boost away
            return Answer.text(HTTPStatus.SERVICE_UNAVAILABLE, "it was not measured lately")
        return Answer.json({"seconds": last.oldest / 1000})

    return answer
