"""Sends the messages of one pipeline."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic_core import from_json

from penstock.keys import PipelineKeys
from penstock.message.encoding import encoding_of
from penstock.message.ulid import Ulids
from penstock.observe.collector import process_collector
from penstock.observe.lines import LONGEST_VALUE
from penstock.observe.metrics import Metrics
from penstock.observe.spans import Sending, Spans, within
from penstock.observe.traces import read
from penstock.producer.breaker import Breaker
from penstock.producer.chunks import send_in_chunks
from penstock.producer.due import TimeSpan, due_of, milliseconds
from penstock.producer.encoded import EncodedMessage
from penstock.producer.encoder import Encoder, SendOptions
from penstock.producer.errors import NotSent, Unknown
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.pace import Pace
from penstock.producer.policies import check, limits_of, retries_of
from penstock.producer.producer_metrics import ProducerMetrics
from penstock.producer.redis_monitor import RedisMonitor
from penstock.producer.send_script import SendScript
from penstock.producer.sender import Sender
from penstock.producer.spec_file import pipeline_of
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.message.schema_of import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis


class Producer:
    """Sends to one pipeline, over its own connection. Any number of tasks of one event loop may share it.

        async with Producer.of("specs/media-cluster.yaml", env="production") as producer:
            sent = await producer.send({"job_id": "42", "image_ids": []})

    It connects with the first send, so a program can start while Redis is down.
    """

    def __init__(
        self,
        pipeline: ResolvedPipeline | Pipeline,
        redis: Redis | None = None,
        *,
        credentials: Credentials | None = None,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take a resolved pipeline, or a spec and its Redis. Raises CannotGoOn for a configuration that cannot work.

        Credentials come from the environment unless given; metrics go to the registry of this process.
        """
        spec = pipeline.spec if isinstance(pipeline, ResolvedPipeline) else pipeline
        folder = pipeline.folder if isinstance(pipeline, ResolvedPipeline) else Path.cwd()
        redis = pipeline.redis if redis is None and isinstance(pipeline, ResolvedPipeline) else redis
        if redis is None:
            raise CannotGoOn(f"`{spec.name}` has no Redis", "pass `redis`, or a resolved spec")
        check(spec)
        keys = PipelineKeys.of(spec)
        credentials = Credentials.from_environment(os.environ) if credentials is None else credentials
        self._metrics = ProducerMetrics(metrics or Metrics.of_spec("producer", spec, process_collector()))
        self._link = Link(
            Route.to(redis, keys.stream, credentials=credentials),
            name=f"penstock-producer-{spec.name}",
            answered=self._metrics.answered,
        )
        self._metrics.follow(self._link)
        self._clock = clock
        self._timeouts = redis.timeouts
        self._keeps_nothing = spec.stream.retention.keeps_nothing
        self._dedups = spec.message.dedup is not None
        self._correlates = spec.message.correlate is not None
        self._results = keys.result
        self._spans = Spans(spec.name, keys.stream, keys.group)
        self._encoder = Encoder(spec, encoding_of(spec.message, schema_of(spec, folder)), Ulids())
        self._send_script = SendScript(self._link, spec, keys, self._metrics)
        retries = retries_of(spec, redis.timeouts)
        limits = limits_of(retries, redis.timeouts, spec.send.breaker.cooldown.seconds)
        monitor = RedisMonitor(spec.name, Breaker(limits), self._metrics, clock)
        self._sender = Sender(self._send_script, retries, monitor, self._metrics, clock=clock, pace=Pace())

    @classmethod
    def of(
        cls,
        spec: str | Path,
        *,
        env: str | None = None,
        redis_url: str | None = None,
        platform: str | Path | None = None,
    ) -> Self:
        """Create a producer from a spec's file, in an environment; `redis_url` overrides the platform file's Redis."""
        resolved, credentials = pipeline_of(spec, env=env, redis_url=redis_url, platform=platform)
        return cls(resolved, credentials=credentials)

    async def send(  # noqa: PLR0913 - a message has that many options
        self,
        body: object,
        *,
        key: str | None = None,
        delay: TimeSpan | None = None,
        at: datetime | None = None,
        timeout: TimeSpan | None = None,  # noqa: ASYNC109 - a call in flight is awaited after it; a cancelled task could not do that
        correlation: str | None = None,
        trace: Mapping[str, str | None] | None = None,
    ) -> Sent | Duplicate:
        """Send one message: a dict, a pydantic model, a dataclass, or JSON as bytes. Raises SendError.

        It is due after `delay` (seconds, or a text such as `30s`), or `at` a time with a time zone; a time in the past
        means now. `key` replaces the field that `message.dedup.by` names; `correlation` sets the field that
        `message.correlate` names if the body has none. `timeout` limits the wait for room in the backlog or for Redis
        to come back; the answer to a call in flight is awaited beyond it. `trace` has the `traceparent` and
        `tracestate` of a request, for programs without OpenTelemetry.
        """
        self._refuse_unused_options(key, correlation)
        due, deadline = due_of(delay, at), self._deadline(timeout)
        with _in_trace(trace), self._spans.send(correlation=correlation) as span:
            message = self._encode(body, SendOptions(due, key, correlation, span.trace))
            _set_attributes(span, message)
            [outcome] = await self._sender.wait(self._sender.put((message,)), deadline)
            if isinstance(outcome, Failed):
                raise outcome.error
            if isinstance(outcome, Unknown):
                raise outcome
            return outcome

    async def send_many(
        self,
        bodies: Iterable[object],
        *,
        delay: TimeSpan | None = None,
        at: datetime | None = None,
        timeout: TimeSpan | None = None,  # noqa: ASYNC109 - as above
        trace: Mapping[str, str | None] | None = None,
    ) -> list[Outcome]:
        """Send many messages, in order, and return the outcome of each; a failure does not stop the others.

        `bodies` may be a generator: it is consumed as the messages are sent. `timeout` is for all of them together.
        """
        due, deadline = due_of(delay, at), self._deadline(timeout)
        count = len(bodies) if isinstance(bodies, (list, tuple)) else 1
        with _in_trace(trace), self._spans.send(count=count) as span:
            options = SendOptions(due, trace=span.trace)
            return await send_in_chunks(bodies, lambda body: self._encode(body, options), self._sender, deadline)

    async def result(self, of: Sent | Duplicate | str) -> Any:  # noqa: ANN401 - any JSON
        """Return the result that a handler left for this message, or None. Raises RedisTrouble."""
        with self._metrics.redis_call():
            reply = await self._link.call("GET", self._results + (of if isinstance(of, str) else of.id))
        return from_json(reply) if isinstance(reply, bytes) else None

    async def close(self) -> None:
        """Send queued messages if Redis accepts them; the outcome of messages without an answer in time is unknown."""
        await self._sender.close(self._timeouts.answer.seconds, self._link.close)
        self._metrics.update_connections()

    def after_fork(self) -> None:
        """Reset what a forked child inherited: the connection is its parent's."""
        self._metrics.after_fork()

    async def __aenter__(self) -> Self:
        """Check that Redis supports the spec, if it is reachable. Raises CannotGoOn."""
        if not self._keeps_nothing:  # with history, the backlog is counted by the lag, which needs Redis 7
            try:
                await self._send_script.check_server()
            except RedisTrouble:
                pass  # the first send reports it
            except BaseException:
                await self.close()
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()

    def _refuse_unused_options(self, key: str | None, correlation: str | None) -> None:
        if key is not None and not self._dedups:
            raise ValueError("`key` needs `message.dedup` in the spec")
        if correlation is not None and not self._correlates:
            raise ValueError("`correlation` needs `message.correlate` in the spec")

    def _deadline(self, timeout: TimeSpan | None) -> float | None:
        return None if timeout is None else self._clock() + milliseconds(timeout) / 1000

    def _encode(self, body: object, options: SendOptions) -> EncodedMessage:
        try:
            return self._encoder.encode(body, options)
        except NotSent as error:
            self._metrics.count(Failed(error))
            raise


def _in_trace(trace: Mapping[str, str | None] | None) -> AbstractContextManager[None]:
    """Send within the trace of a request; ignore invalid headers."""
    if trace is None:
        return nullcontext()
    headers = {name.lower(): value for name, value in trace.items()}  # HTTP header names, in any case
    parent, state = ((headers.get(name) or "").encode("utf-8", "replace") for name in ("traceparent", "tracestate"))
    parsed = read(parent, state)
    return nullcontext() if parsed is None else within(parsed)


def _set_attributes(span: Sending, message: EncodedMessage) -> None:
    span.sent(message.id)
    if span.span is not None and message.correlation is not None:
        span.span.set_attribute("messaging.message.conversation_id", message.correlation[:LONGEST_VALUE])
