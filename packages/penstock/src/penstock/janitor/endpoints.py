"""HTTP endpoints of a janitor: the age of a pipeline's oldest message, for KEDA, and the health of Redis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from penstock.janitor.monitor import PipelineMonitor
from penstock.observe.health import RedisHealth, Route
from penstock.observe.http import Answer, Request
from penstock.pod.redis_check import ping
from penstock.pod.role import RedisCheck
from penstock.wire import route
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_spec.platform import Redis


def oldest_routes(monitors: Sequence[PipelineMonitor]) -> Mapping[str, Route]:
    """A page for each pipeline."""
    return {f"/pipelines/{monitor.name}/oldest": _oldest(monitor) for monitor in monitors}


def _oldest(monitor: PipelineMonitor) -> Route:
    async def answer(_request: Request) -> Answer:
        last = monitor.last()
        if last is None:  # KEDA then ignores the age trigger
            return Answer.text(HTTPStatus.SERVICE_UNAVAILABLE, "no recent measurement")
        return Answer.json({"seconds": last.oldest / 1000})

    return answer


def redis_check(redis: Redis, lock: str, credentials: Credentials, monitors: Sequence[PipelineMonitor]) -> RedisCheck:
    """Check the node of the lock, and whether all groups existed in the last measurement."""

    async def check() -> RedisHealth:
        link = Link(route.Route.to(redis, lock, credentials=credentials), name="penstock-janitor-health")
        try:
            seconds = await ping(link)
        finally:
            await link.close()
        return RedisHealth(seconds, group=all((last := monitor.last()) and last.groups for monitor in monitors))

    return RedisCheck(check)
