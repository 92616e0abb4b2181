"""What the steps of messages leave behind in Redis: read, never written."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self, TypeAlias, cast

from penstock.keys import Keys
from penstock.wire.errors import Reply
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
KEYS = Keys.of(SPEC)

Sent: TypeAlias = bytes | str | int | float


class Behind:
    """A stream with a group, over one link."""

    def __init__(self, link: Link, keys: Keys = KEYS) -> None:
        self.keys = keys
        self._link = link
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self.ask("XGROUP", "CREATE", self.keys.stream, self.keys.group, "0", "MKSTREAM")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._link.close())
        self._runner.close()

    def ask(self, *command: Sent) -> Reply:
        """A command. An error is raised as `Refused`."""
        return self._runner.run(self._link.call(*command))

    def entries(self) -> list[str]:
        """What is in the stream: what is not done."""
        told = cast("list[tuple[bytes, Reply]]", self.ask("XRANGE", self.keys.stream, "-", "+"))
        return [text(id_) for id_, _ in told]

    def pending(self) -> dict[str, tuple[str, int]]:
        """Every pending entry's owner and count."""
        told = self.ask("XPENDING", self.keys.stream, self.keys.group, "-", "+", 1_000_000)
        rows = cast("list[tuple[bytes, bytes, int, int]]", told)
        return {text(id_): (text(owner), count) for id_, owner, _, count in rows}

    def consumers(self) -> set[str]:
        told = cast("list[list[bytes]]", self.ask("XINFO", "CONSUMERS", self.keys.stream, self.keys.group))
        return {text(one[1]) for one in told}

    def uncharged(self) -> dict[str, int]:
        """Deliveries that do not count; and the highest count given by force."""
        told = [text(one) for one in cast("list[bytes]", self.ask("HGETALL", self.keys.uncharged))]
        return {name: int(value) for name, value in zip(told[::2], told[1::2], strict=True)}

    def crashed(self) -> set[str]:
        return {text(one) for one in cast("list[bytes]", self.ask("SMEMBERS", self.keys.crashed))}

    def parked(self) -> dict[str, float]:
        """Due times."""
        return self._scores(self.keys.parked)

    def alive(self) -> dict[str, float]:
        """Ends of leases."""
        return self._scores(self.keys.alive)

    def dead(self) -> list[list[bytes]]:
        """Names and values of the dead letters."""
        told = cast("list[tuple[bytes, list[bytes]]]", self.ask("XRANGE", self.keys.dead, "-", "+"))
        return [fields for _, fields in told]

    def _scores(self, key: str) -> dict[str, float]:
        told = [text(one) for one in cast("list[bytes]", self.ask("ZRANGE", key, 0, -1, "WITHSCORES"))]
        return {name: float(score) for name, score in zip(told[::2], told[1::2], strict=True)}


def text(told: Reply) -> str:
    assert isinstance(told, bytes), told
    return told.decode()
