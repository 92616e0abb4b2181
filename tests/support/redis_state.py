"""What the steps of messages leave behind in Redis: a stream, its group, and the keys beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from penstock.keys import PipelineKeys
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

SPEC = Pipeline.model_validate(
    {
        "kind": "pipeline",
        "name": "work",
        "owner": {"team": "tests", "contact": "#tests"},
        "handler": "handlers:handle",
        "image": "registry.example/work:1.0.0",
        "stream": {"key": "work", "group": "team"},
        "dead_letter": {"key": "{work}:team:dead"},
    }
)
KEYS = PipelineKeys.of(SPEC)

Argument: TypeAlias = bytes | str | int | float
T = TypeVar("T")
Reply: TypeAlias = Any
"""An answer, taken at its word: a test that is told something else fails."""


@dataclass(frozen=True, slots=True)
class StateSnapshot:
    """All of it, at one moment."""

    entries: list[str]
    """What is in the stream: what is not done."""
    pending: dict[str, tuple[str, int]]
    """Every pending entry's owner and count."""
    consumers: set[str]
    uncharged: dict[str, int]
    """Deliveries that do not count; under `~count` the highest count given by force."""
    crashed: dict[str, str]
    """`crash`, or the attempt that was to be made alone."""
    parked: dict[str, float]
    """Due times."""
    alive: dict[str, float]
    """Ends of leases."""
    dead: list[list[bytes]]
    """Names and values of the dead letters."""


class RedisState:
    """A stream with a group, over one link."""

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
        """A command. An error is raised as `Refused`."""
        return self.wait(self._link.call(*command))

    def calls(self, *commands: tuple[Argument, ...]) -> list[Reply]:
        """Commands that are sent together; the first error is raised."""
        answers = self.wait(self._link.calls(commands))
        for one in answers:
            if isinstance(one, Exception):
                raise one
        return answers

    def snapshot(self) -> StateSnapshot:
        """Everything, asked for at once."""
        entries, pending, consumers, uncharged, crashed, parked, alive, dead = self.calls(*QUESTIONS.values())
        return StateSnapshot(
            as_entries(entries),
            as_pending(pending),
            as_consumers(consumers),
            as_counts(uncharged),
            as_words(crashed),
            as_times(parked),
            as_times(alive),
            as_letters(dead),
        )

    def entries(self) -> list[str]:
        return as_entries(self.ask(*QUESTIONS["entries"]))

    def pending(self) -> dict[str, tuple[str, int]]:
        return as_pending(self.ask(*QUESTIONS["pending"]))

    def consumers(self) -> set[str]:
        return as_consumers(self.ask(*QUESTIONS["consumers"]))

    def uncharged(self) -> dict[str, int]:
        return as_counts(self.ask(*QUESTIONS["uncharged"]))

    def crashed(self) -> dict[str, str]:
        return as_words(self.ask(*QUESTIONS["crashed"]))

    def finished(self) -> set[str]:
        return as_names(self.ask("SMEMBERS", KEYS.finished))

    def parked(self) -> dict[str, float]:
        return as_times(self.ask(*QUESTIONS["parked"]))

    def alive(self) -> dict[str, float]:
        return as_times(self.ask(*QUESTIONS["alive"]))

    def dead(self) -> list[list[bytes]]:
        return as_letters(self.ask(*QUESTIONS["dead"]))


QUESTIONS: dict[str, tuple[Argument, ...]] = {
    "entries": ("XRANGE", KEYS.stream, "-", "+"),
    "pending": ("XPENDING", KEYS.stream, KEYS.group, "-", "+", 1_000_000),
    "consumers": ("XINFO", "CONSUMERS", KEYS.stream, KEYS.group),
    "uncharged": ("HGETALL", KEYS.uncharged),
    "crashed": ("HGETALL", KEYS.crashed),
    "parked": ("ZRANGE", KEYS.parked, 0, -1, "WITHSCORES"),
    "alive": ("ZRANGE", KEYS.alive, 0, -1, "WITHSCORES"),
    "dead": ("XRANGE", KEYS.dead, "-", "+"),
}


def as_entries(told: Reply) -> list[str]:
    return [id_.decode() for id_, _ in told]


def as_pending(told: Reply) -> dict[str, tuple[str, int]]:
    return {id_.decode(): (owner.decode(), count) for id_, owner, _, count in told}


def as_consumers(told: Reply) -> set[str]:
    return {one[1].decode() for one in told}


def as_counts(told: Reply) -> dict[str, int]:
    return {name.decode(): int(value) for name, value in pairs(told)}


def as_words(told: Reply) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in pairs(told)}


def as_names(told: Reply) -> set[str]:
    return {one.decode() for one in told}


def as_times(told: Reply) -> dict[str, float]:
    return {name.decode(): float(score) for name, score in pairs(told)}


def as_letters(told: Reply) -> list[list[bytes]]:
    return [fields for _, fields in told]


def pairs(flat: list[bytes]) -> list[tuple[bytes, bytes]]:
    return list(zip(flat[::2], flat[1::2], strict=True))
