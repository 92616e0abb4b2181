"""Calls `send.lua` with several messages, and parses its reply for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeAlias, cast

from penstock.keys import PipelineKeys
from penstock.producer.encoded import EncodedMessage
from penstock.producer.outcomes import Duplicate, Sent
from penstock.producer.producer_metrics import ProducerMetrics
from penstock.producer.retrying import FULL, Full
from penstock.scripts import script
from penstock.wire.errors import RedisTrouble, Refused, Reply
from penstock.wire.link import NOT_RUN, Link
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline

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
        self._head = (
            keys.group,
            "until-done" if spec.stream.retention.keeps_nothing else "history",
            spec.stream.backlog.limit,
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

        `done` gets a result for each, or None if the script has not run, so that `run` must be called.
        """

        def answered(reply: Reply | RedisTrouble) -> None:
            if not isinstance(reply, RedisTrouble):
                done(self._results(messages, reply))
            elif isinstance(reply, Refused) and reply.code in NOT_RUN:
                done(None)
            else:
                self._metrics.trouble(reply)
                self._metrics.update_connections()
                done([reply] * len(messages))

        return self._link.start(self._script, *self._call(messages), answered)

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
