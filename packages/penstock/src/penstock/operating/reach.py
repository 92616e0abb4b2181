"""Connects commands to Redis, and explains failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, RedisTrouble, Refused, Unanswered
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.findings import CannotGoOn

T = TypeVar("T")

WAITS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each retry of a query, in total longer than a usual failover."""

HINTS = {
    "NOPERM": "set REDIS_USERNAME to a user with these rights; `penstock acl --role operator` prints them",
    "NOAUTH": "set REDIS_PASSWORD, and REDIS_USERNAME where Redis has users",
    "WRONGPASS": "check REDIS_USERNAME and REDIS_PASSWORD",
    "WRONGTYPE": "one of the pipeline's keys has another type; `penstock show SPEC stream dead_letter` names them",
    "OOM": "Redis is out of memory; add memory, or let workers drain the streams",
    "READONLY": "this is a replica; connect to the master or the sentinels",
    "MISCONF": "Redis cannot write to its disk; see its log",
}
"""Hints by Redis's error code."""


def as_sentence(trouble: RedisTrouble) -> CannotGoOn:
    """An error with a hint for people."""
    match trouble:
        case Absent():
            return CannotGoOn(
                f"Redis is unreachable: {trouble}",
                "check that it runs and accepts connections from here; `--redis URL` uses another one, `--embedded` "
                "the repository's own",
            )
        case Refused():
            return CannotGoOn(f"Redis refused: {trouble}", HINTS.get(trouble.code, "see Redis's log"))
        case _:
            return CannotGoOn(f"Redis did not answer: {trouble}", "try again when Redis is healthy")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine. Uncaught trouble with Redis ends the command."""
    try:
        with asyncio.Runner() as runner:
            return runner.run(work)
    except RedisTrouble as trouble:
        raise as_sentence(trouble) from trouble


@asynccontextmanager
async def link_to(pipeline: ResolvedPipeline, credentials: Credentials, name: str) -> AsyncIterator[Link]:
    """A connection to the pipeline's keys, closed at the end."""
    route = Route.to(pipeline.redis, pipeline.keys.stream, credentials=credentials)
    link = Link(route, name=f"penstock-{name}")
    try:
        yield link
    finally:
        await link.close()


class Retrier:
    """Retries queries for a while, until one succeeds or `stop` is set.

    It does not retry before the first success: the address is probably wrong.
    """

    def __init__(self, report: Callable[[str], object], stop: asyncio.Event | None = None) -> None:
        """`report` gets a line when Redis becomes unreachable, and when it is reachable again."""
        self._report = report
        self._stop = stop or asyncio.Event()
        self._answered = False

    async def __call__(self, query: Callable[[], Awaitable[T]]) -> T:
        """Return the answer, or raise the error of the last attempt."""
        for attempt, wait in enumerate(WAITS):
            try:
                answer = await query()
            except (Absent, Unanswered) as trouble:
                if not self._answered or await self.stopped(0):
                    raise
                if attempt == 0:
                    self._report(f"Redis is unreachable, retrying: {trouble}")
                if await self.stopped(wait):
                    raise
            else:
                self._answered = True
                if attempt:
                    self._report("Redis is reachable again")
                return answer
        return await query()

    async def stopped(self, within: float) -> bool:
        """Wait this many seconds; return whether `stop` was set meanwhile."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), within)
        return self._stop.is_set()
