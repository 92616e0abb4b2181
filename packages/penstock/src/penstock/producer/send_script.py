"""Calls `send.lua` with several messages, and parses its reply for each.

A single message for now, without a deduplication key, needs the script only for the backlog limit. If the backlog was
far below it a moment ago, a plain XADD does the same and costs Redis much less. Each such call counts it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeAlias, cast

from penstock.keys import PipelineKeys
from penstock.producer.due import NOW
from penstock.producer.encoded import EncodedMessage
from penstock.producer.outcomes import Duplicate, Sent
from penstock.producer.producer_metrics import ProducerMetrics
from penstock.producer.retrying import FULL, Full
from penstock.scripts import script
from penstock.wire.command import Argument
from penstock.wire.errors import RedisTrouble, Refused, Reply, Unanswered
from penstock.wire.link import NOT_RUN, Link, by_hash
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline

CERTAIN = 0.02
"""Seconds for which a count of the backlog is certain enough."""
MARGIN = 100_000
"""The room that the backlog must have: more messages than Redis accepts in this time. So at most one message for each
producer that was suspended just before its call exceeds the limit."""

ScriptResult: TypeAlias = Sent | Duplicate | Full | Refused


class SendScript:
    """Calls `send.lua` for one pipeline."""

    def __init__(self, link: Link, spec: Pipeline, keys: PipelineKeys, metrics: ProducerMetrics) -> None:
        """Prepare the arguments that all calls share."""
        dedup = spec.message.dedup
        self._link = link
        self._metrics = metrics
        self._script = script("send")
        self._keys = (keys.stream, keys.delayed, keys.bodies, keys.position)
        self._finished = keys.finished
        self._prefix = keys.dedup
        self._limit = spec.stream.backlog.limit
        self._has_room_until = 0.0
        """Until when a message for now may be added without the script. Monotonic."""
        is_plain = spec.stream.retention.keeps_nothing and dedup is None
        self._counting = (("XLEN", keys.stream), ("ZCARD", keys.delayed)) if is_plain else ()
        self._head = (
            keys.group,
            "until-done" if spec.stream.retention.keeps_nothing else "history",
            self._limit,
            spec.stream.backlog.when_full,
            dedup.window.amount if dedup else 0,
        )

    async def run(self, messages: Sequence[EncodedMessage]) -> list[ScriptResult]:
        """Send messages in one call and return a result for each. Raises RedisTrouble if the call fails."""
        with self._metrics.redis_call():
            replies = await self._link.run(self._script, *self._call(messages))
        return self._results(messages, replies)

    def start(
        self, messages: Sequence[EncodedMessage], done: Callable[[Sequence[ScriptResult | RedisTrouble] | None], None]
    ) -> bool:
        """Send messages without waiting, if the connection is open and idle; return whether they were sent.

        `done` gets a result for each, or None if nothing has happened, so that `run` must be called.
        """
        if not self._link.has(self._script):
            return False
        now = time.monotonic()
        is_plain = len(messages) == 1 and messages[0].args[1] == NOW and now < self._has_room_until
        command: tuple[Argument, ...]
        if is_plain:
            command = ("XADD", self._keys[0], "*", *messages[0].args[3:])
        else:
            command = by_hash(self._script, *self._call(messages))

        def answered(answers: list[Reply | Refused] | Unanswered) -> None:
            if isinstance(answers, Unanswered):
                self._has_room_until = 0.0
                done(self._failed(messages, answers))
                return
            *counts, answer = answers
            self._note_backlog(counts, now)
            if not isinstance(answer, Refused):
                done(self._results(messages, [answer] if is_plain else answer))
            elif is_plain or answer.code in NOT_RUN:
                done(None)  # a refused XADD has changed nothing; the script explains why it is refused
            else:
                done(self._failed(messages, answer))

        return self._link.start((*self._counting, command), answered)

    def _note_backlog(self, counts: Sequence[Reply | Refused], at: float) -> None:
        """Note how long there is certainly room; `at` is when it was counted, or earlier."""
        self._has_room_until = 0.0
        match counts:
            case [int(entries), int(delayed)] if entries + delayed <= self._limit - MARGIN:
                self._has_room_until = at + CERTAIN
            case _:
                pass

    def _failed(self, messages: Sequence[EncodedMessage], trouble: RedisTrouble) -> Sequence[RedisTrouble]:
        self._metrics.trouble(trouble)
        self._metrics.update_connections()
        return [trouble] * len(messages)

    def _call(self, messages: Sequence[EncodedMessage]) -> tuple[tuple[str, ...], tuple[str | bytes | int, ...]]:
        """The keys and arguments of the script."""
        keys = [f"{self._prefix}{message.key}" for message in messages if message.key is not None]
        args = chain(self._head, chain.from_iterable(message.args for message in messages))
        return (*self._keys, *keys, self._finished), tuple(args)

    def _results(self, messages: Sequence[EncodedMessage], replies: Reply) -> list[ScriptResult]:
        results = [
            _result_of(message, reply) for message, reply in zip(messages, cast("list[Reply]", replies), strict=True)
        ]
        refused = next((reply for reply in results if isinstance(reply, Refused)), None)
        if refused is not None:  # Redis refused a command inside the script; count it as one failed call
            self._metrics.trouble(refused)
        return results

    async def check_server(self) -> None:
        """Call the script without messages, to check that the server supports it. Raises CannotGoOn if it does not."""
        try:
            await self.run(())
        except Refused as refused:
            if refused.code != "NOLAG":
                raise
            raise CannotGoOn(
                f"this Redis cannot count the backlog of `{self._keys[0]}`: {refused}",
                "use Redis 7 or later, or Valkey; or `stream.retention.keep: until-done`, which any Redis can count",
            ) from refused


def _result_of(message: EncodedMessage, answer: Reply, dropped: int = 0) -> ScriptResult:
    match answer:
        case bytes():
            return Sent(message.id, answer.decode(), None, message.correlation, dropped)
        case int():
            return Sent(message.id, None, answer, message.correlation, dropped)
        case [b"dropped", int(count), inner]:
            return _result_of(message, inner, count)
        case [b"duplicate", bytes(first)]:
            return _first(message, first.decode(errors="replace"))
        case [b"refused", bytes(error)]:
            return Refused(error.decode(errors="replace"))
        case _:
            return FULL


def _first(message: EncodedMessage, first: str) -> Sent | Duplicate:
    """Distinguish a duplicate from an earlier attempt of the same message whose answer was lost."""
    if first == message.id:
        return Sent(message.id, None, None, message.correlation)
    return Duplicate(first, message.key or "")
