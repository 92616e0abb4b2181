"""Redis, for a command that a person has called and waits for."""

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
"""Seconds before each further attempt of what may be asked again: longer than a failover usually takes."""

HINTS = {
    "NOPERM": "set REDIS_USERNAME to a user who may; `penstock acl --role operator` prints the rights that it takes",
    "NOAUTH": "set REDIS_PASSWORD, and REDIS_USERNAME where Redis has users",
    "WRONGPASS": "see that REDIS_USERNAME and REDIS_PASSWORD are those of this Redis",
    "WRONGTYPE": "something else stands under one of the pipeline's keys; `penstock show SPEC stream` names them",
    "OOM": "Redis has no memory left; give it more, or let workers finish what is there",
    "READONLY": "this is a replica; name the master, or the sentinels",
    "MISCONF": "Redis cannot write to its disk; see its log",
}
"""What to do when Redis answers so."""


def as_sentence(trouble: RedisTrouble) -> CannotGoOn:
    """What a person is told, and what to do."""
    match trouble:
        case Absent():
            return CannotGoOn(
                f"Redis cannot be reached: {trouble}",
                "see that it runs and that this machine may reach it; `--redis URL` names another, "
                "`--embedded` is one of this repository's own",
            )
        case Refused():
            return CannotGoOn(f"Redis refused: {trouble}", HINTS.get(trouble.code, "see the log of Redis"))
        case _:
            return CannotGoOn(f"Redis did not answer: {trouble}", "run it again when Redis is well")


def run(work: Coroutine[Any, Any, T]) -> T:
    """On a loop of its own. Trouble with Redis that nobody has dealt with ends the command."""
    try:
        with asyncio.Runner() as runner:
            return runner.run(work)
    except RedisTrouble as trouble:
        raise as_sentence(trouble) from trouble


@asynccontextmanager
async def link_to(pipeline: ResolvedPipeline, credentials: Credentials, name: str) -> AsyncIterator[Link]:
    """A connection to where the pipeline's keys are, closed at the end."""
    route = Route.to(pipeline.redis, pipeline.keys.stream, credentials=credentials)
    link = Link(route, name=f"penstock-{name}")
    try:
        yield link
    finally:
        await link.close()


class Insistence:
    """Asks until there is an answer, for a while, or until it is told to stop: only for what may be asked twice.

    A Redis that has never answered is not insisted on: most likely the wrong one is asked.
    """

    def __init__(self, say: Callable[[str], object], stop: asyncio.Event | None = None) -> None:
        """`say` is told when Redis stops to answer, and when it answers again."""
        self._say = say
        self._stop = stop or asyncio.Event()
        self._answered = False

    async def __call__(self, question: Callable[[], Awaitable[T]]) -> T:
        """The answer. Raises what the last attempt met."""
        for attempt, wait in enumerate(WAITS):
            try:
                answer = await question()
            except (Absent, Unanswered) as trouble:
                if not self._answered or await self.stopped(0):
                    raise
                if attempt == 0:
                    self._say(f"Redis does not answer, trying again: {trouble}")
                if await self.stopped(wait):
                    raise
            else:
                self._answered = True
                if attempt:
                    self._say("Redis answers again")
                return answer
        return await question()

    async def stopped(self, within: float) -> bool:
        """Wait for so many seconds, and tell whether it was told to stop meanwhile."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), within)
        return self._stop.is_set()
