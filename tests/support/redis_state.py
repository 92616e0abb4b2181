"""The state that the steps of messages leave in Redis: a stream, its group, and the side keys."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from penstock.keys import PipelineKeys
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline


def _spec(**stream: object) -> Pipeline:
    return Pipeline.model_validate(
        {
            "kind": "pipeline",
            "name": "work",
            "owner": {"team": "tests", "contact": "#tests"},
            "handler": "handlers:handle",
            "image": "registry.example/work:1.0.0",
            "stream": {"key": "work", "group": "team", **stream},
            "dead_letter": {"key": "{work}:team:dead"},
        }
    )


SPEC = _spec()
HISTORY = _spec(retention={"keep": {"length": 1_000_000}})
"""The same, but finished entries stay in the stream."""
KEYS = PipelineKeys.of(SPEC)

Argument: TypeAlias = bytes | str | int | float
T = TypeVar("T")
Reply: TypeAlias = Any
"""A reply of unchecked type: a test that gets another type fails."""


@dataclass(frozen=True, slots=True)
class StateSnapshot:
    """The complete state at one moment."""

    entries: list[str]
    """Ids in the stream, which are those not done."""
    pending: dict[str, tuple[str, int]]
    """The owner and delivery count of every pending entry."""
    consumers: set[str]
    uncharged: dict[str, int]
    """Deliveries that do not count as attempts; `~count` holds the highest count of a forced claim."""
    crashed: dict[str, str]
    """`crash`, or the number of the attempt that was to run alone."""
    parked: dict[str, float]
    """Due times."""
    alive: dict[str, float]
    """Ends of leases."""
    dead: list[list[bytes]]
    """Names and values of the dead letters."""


class RedisState:
    """A stream with a group, read over one link."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self.ask("XGROUP", "CREATE", KEYS.stream, KEYS.group, "0", "MKSTREAM")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wait(self._link.close())
        self._runner.close()

    def wait(self, coroutine: Coroutine[object, object, T]) -> T:
        return self._runner.get_loop().run_until_complete(coroutine)

    def ask(self, *command: Argument) -> Reply:
        """Send a command. Raises `Refused` for an error reply."""
        return self.wait(self._link.call(*command))

    def calls(self, *commands: tuple[Argument, ...]) -> list[Reply]:
        """Send commands together; raise the first error."""
        answers = self.wait(self._link.calls(commands))
        for one in answers:
            if isinstance(one, Exception):
                raise one
        return answers

    def snapshot(self) -> StateSnapshot:
        """Read the complete state at once."""
        entries, pending, consumers, uncharged, crashed, parked, alive, dead = self.calls(*QUERIES.values())
        return StateSnapshot(
            as_entries(entries),
            as_pending(pending),
            as_consumers(consumers),
            as_counts(uncharged),
            as_texts(crashed),
            as_times(parked),
            as_times(alive),
            as_dead_letters(dead),
        )

    def entries(self) -> list[str]:
        return as_entries(self.ask(*QUERIES["entries"]))

    def pending(self) -> dict[str, tuple[str, int]]:
        return as_pending(self.ask(*QUERIES["pending"]))

    def consumers(self) -> set[str]:
        return as_consumers(self.ask(*QUERIES["consumers"]))

    def uncharged(self) -> dict[str, int]:
        return as_counts(self.ask(*QUERIES["uncharged"]))

    def crashed(self) -> dict[str, str]:
        return as_texts(self.ask(*QUERIES["crashed"]))

    def finished(self) -> set[str]:
        return as_names(self.ask("SMEMBERS", KEYS.finished))

    def parked(self) -> dict[str, float]:
        return as_times(self.ask(*QUERIES["parked"]))

    def alive(self) -> dict[str, float]:
        return as_times(self.ask(*QUERIES["alive"]))

    def dead(self) -> list[list[bytes]]:
        return as_dead_letters(self.ask(*QUERIES["dead"]))


QUERIES: dict[str, tuple[Argument, ...]] = {
    "entries": ("XRANGE", KEYS.stream, "-", "+"),
    "pending": ("XPENDING", KEYS.stream, KEYS.group, "-", "+", 1_000_000),
    "consumers": ("XINFO", "CONSUMERS", KEYS.stream, KEYS.group),
    "uncharged": ("HGETALL", KEYS.uncharged),
    "crashed": ("HGETALL", KEYS.crashed),
    "parked": ("ZRANGE", KEYS.parked, 0, -1, "WITHSCORES"),
    "alive": ("ZRANGE", KEYS.alive, 0, -1, "WITHSCORES"),
    "dead": ("XRANGE", KEYS.dead, "-", "+"),
}


def as_entries(reply: Reply) -> list[str]:
    return [id_.decode() for id_, _ in reply]


def as_pending(reply: Reply) -> dict[str, tuple[str, int]]:
    return {id_.decode(): (owner.decode(), count) for id_, owner, _, count in reply}


def as_consumers(reply: Reply) -> set[str]:
    return {one[1].decode() for one in reply}


def as_counts(reply: Reply) -> dict[str, int]:
    return {name.decode(): int(value.partition(b"@")[0]) for name, value in pairs(reply)}


def as_texts(reply: Reply) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in pairs(reply)}


def as_names(reply: Reply) -> set[str]:
    return {one.decode() for one in reply}


def as_times(reply: Reply) -> dict[str, float]:
    return {name.decode(): float(score) for name, score in pairs(reply)}


def as_dead_letters(reply: Reply) -> list[list[bytes]]:
    return [fields for _, fields in reply]


def pairs(flat: list[bytes]) -> list[tuple[bytes, bytes]]:
    return list(zip(flat[::2], flat[1::2], strict=True))
