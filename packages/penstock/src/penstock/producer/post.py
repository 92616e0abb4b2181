"""Letters handed over to Redis: one script call for several, and what it answers for each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias, cast

from penstock.keys import PipelineKeys
from penstock.producer.letter import Letter
from penstock.producer.outcomes import Duplicate, Sent
from penstock.producer.tally import Tally
from penstock.producer.trouble import FULL, Full
from penstock.scripts import script
from penstock.wire.errors import Refused, Reply
from penstock.wire.link import Link
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline

Verdict: TypeAlias = Sent | Duplicate | Full | Refused


class Post:
    """Knows `send.lua`."""

    def __init__(self, link: Link, spec: Pipeline, keys: PipelineKeys, tally: Tally) -> None:
        """Nothing is sent yet."""
        dedup = spec.message.dedup
        self._link = link
        self._tally = tally
        self._script = script("send")
        self._keys = (keys.stream, keys.delayed, keys.bodies, keys.position)
        self._prefix = keys.dedup
        self._head = (
            keys.group,
            "until-done" if spec.stream.retention.keeps_nothing else "history",
            spec.stream.backlog.limit,
            spec.stream.backlog.when_full,
            dedup.window.amount if dedup else 0,
        )

    async def bring(self, letters: Sequence[Letter]) -> list[Verdict]:
        """Send them together. Each gets a verdict of its own; raises RedisTrouble where there is none."""
        keys = [f"{self._prefix}{letter.key}" for letter in letters if letter.key is not None]
        args = chain(self._head, chain.from_iterable(letter.words for letter in letters))
        with self._tally.asking():
            told = await self._link.run(self._script, (*self._keys, *keys), tuple(args))
        verdicts = [_verdict(letter, one) for letter, one in zip(letters, cast("list[Reply]", told), strict=True)]
        refused = next((one for one in verdicts if isinstance(one, Refused)), None)
        if refused is not None:  # by what the script called; it is one call that failed, however many letters it had
            self._tally.trouble(refused)
        return verdicts

    async def try_out(self) -> None:
        """Send nothing, to hear whether the server can do it. Raises CannotGoOn where it never will."""
        try:
            await self.bring(())
        except Refused as refused:
            if refused.code != "NOLAG":
                raise
            raise CannotGoOn(
                f"the backlog of `{self._keys[0]}` cannot be told on this Redis: {refused}",
                "use Redis 7 or later, or Valkey; or `stream.retention.keep: until-done`, which any Redis can count",
            ) from refused


def _verdict(letter: Letter, answer: Reply, dropped: int = 0) -> Verdict:
    match answer:
        case bytes():
            return Sent(letter.id, answer.decode(), None, letter.correlation, dropped)
        case int():
            return Sent(letter.id, None, answer, letter.correlation, dropped)
        case [b"dropped", int(count), inner]:
            return _verdict(letter, inner, count)
        case [b"duplicate", bytes(first)]:
            return _first(letter, first.decode(errors="replace"))
        case [b"refused", bytes(error)]:
            return Refused(error.decode(errors="replace"))
        case _:
            return FULL


def _first(letter: Letter, first: str) -> Sent | Duplicate:
    """A duplicate of itself: an attempt before this one was taken, and its answer was lost."""
    if first == letter.id:
        return Sent(letter.id, None, None, letter.correlation)
    return Duplicate(first, letter.key or "")
