"""Sends messages as a spec says."""

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
from penstock.message.form import form_of
from penstock.message.ulid import Ulids
from penstock.observe.board import process_board
from penstock.observe.lines import LONGEST_VALUE
from penstock.observe.metrics import Metrics
from penstock.observe.spans import Sending, Spans, within
from penstock.observe.traces import read
from penstock.producer.breaker import Breaker
from penstock.producer.compose import Composer, Wanted
from penstock.producer.due import Span, due_of, milliseconds
from penstock.producer.errors import NotSent, Unknown
from penstock.producer.letter import Letter
from penstock.producer.many import send_in_bunches
from penstock.producer.named import pipeline_named
from penstock.producer.outbox import Outbox
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.pace import Pace
from penstock.producer.post import Post
from penstock.producer.tally import Tally
from penstock.producer.terms import check, insistence_of, limits_of
from penstock.producer.watch import Watch
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
    """Sends to one pipeline, over a connection of its own. Any number of tasks of one loop may share it.

        async with Producer.of("specs/media-cluster.yaml", env="production") as producer:
            sent = await producer.send({"job_id": "42", "image_ids": []})

    Nothing is connected before the first send, so that a program starts while Redis is away.
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
        """A pipeline, and its Redis where it has not been resolved. Raises CannotGoOn for what could never work.

        Credentials come from the environment unless given; numbers are counted on the board of this process.
        """
        spec = pipeline.spec if isinstance(pipeline, ResolvedPipeline) else pipeline
        folder = pipeline.folder if isinstance(pipeline, ResolvedPipeline) else Path.cwd()
        redis = pipeline.redis if redis is None and isinstance(pipeline, ResolvedPipeline) else redis
        if redis is None:
            raise CannotGoOn(f"`{spec.name}` is not told where its Redis is", "hand over `redis`, or a resolved spec")
        check(spec)
        keys = PipelineKeys.of(spec)
        credentials = Credentials.from_environment(os.environ) if credentials is None else credentials
        self._tally = Tally(metrics or Metrics.of_spec("producer", spec, process_board()))
        self._link = Link(
            Route.to(redis, keys.stream, credentials=credentials),
            name=f"penstock-producer-{spec.name}",
            answered=self._tally.answered,
        )
        self._tally.watch(self._link)
        self._clock = clock
        self._timeouts = redis.timeouts
        self._keeps_nothing = spec.stream.retention.keeps_nothing
        self._dedups = spec.message.dedup is not None
        self._correlates = spec.message.correlate is not None
        self._results = keys.result
        self._spans = Spans(spec.name, keys.stream, keys.group)
        self._composer = Composer(spec, form_of(spec.message, schema_of(spec, folder)), Ulids())
        self._post = Post(self._link, spec, keys, self._tally)
        insistence = insistence_of(spec, redis.timeouts)
        watch = Watch(spec.name, Breaker(limits_of(insistence, redis.timeouts)), self._tally, clock)
        self._outbox = Outbox(self._post, insistence, watch, self._tally, clock=clock, pace=Pace())

    @classmethod
    def of(
        cls,
        spec: str | Path,
        *,
        env: str | None = None,
        redis_url: str | None = None,
        platform: str | Path | None = None,
    ) -> Self:
        """From a spec's file, in an environment of the platform file around it; `redis_url` stands for its Redis."""
        resolved, credentials = pipeline_named(spec, env=env, redis_url=redis_url, platform=platform)
        return cls(resolved, credentials=credentials)

    async def send(  # noqa: PLR0913 - a message has that much that can be said of it
        self,
        body: object,
        *,
        key: str | None = None,
        delay: Span | None = None,
        at: datetime | None = None,
        timeout: Span | None = None,  # noqa: ASYNC109 - what is on its way is awaited beyond it, which a cancelled task could not
        correlation: str | None = None,
        trace: Mapping[str, str | None] | None = None,
    ) -> Sent | Duplicate:
        """Send one message: a dict, a pydantic model, a dataclass, or JSON as bytes. Raises SendError.

        It is due after `delay` (seconds, or a text such as `30s`), or `at` a time that has a zone; a time in the past
        means now. `key` stands for the field that `message.dedup.by` names, `correlation` for the one that
        `message.correlate` names where the body has none. `timeout` bounds how long it waits, for room in the backlog
        or for Redis to come back; once it is on its way, the answer is awaited. `trace` has the `traceparent` and
        `tracestate` of a request, where no OpenTelemetry says what is going on.
        """
        self._refuse_what_means_nothing(key, correlation)
        due, deadline = due_of(delay, at), self._deadline(timeout)
        with _following(trace), self._spans.send(correlation=correlation) as span:
            letter = self._composed(body, Wanted(due, key, correlation, span.trace))
            _tell(span, letter)
            [outcome] = await self._outbox.wait(self._outbox.put((letter,)), deadline)
            if isinstance(outcome, Failed):
                raise outcome.error
            if isinstance(outcome, Unknown):
                raise outcome
            return outcome

    async def send_many(
        self,
        bodies: Iterable[object],
        *,
        delay: Span | None = None,
        at: datetime | None = None,
        timeout: Span | None = None,  # noqa: ASYNC109 - as above
        trace: Mapping[str, str | None] | None = None,
    ) -> list[Outcome]:
        """Send many, in order, and tell for each what became of it; one that fails stops none of the others.

        The bodies may be endless to look at: they are taken as they are sent. `timeout` is for all of them together.
        """
        due, deadline = due_of(delay, at), self._deadline(timeout)
        count = len(bodies) if isinstance(bodies, (list, tuple)) else 1
        with _following(trace), self._spans.send(count=count) as span:
            wanted = Wanted(due, trace=span.trace)
            return await send_in_bunches(bodies, lambda body: self._composed(body, wanted), self._outbox, deadline)

    async def result(self, of: Sent | Duplicate | str) -> Any:  # noqa: ANN401 - whatever JSON can say
        """What a handler left for this message, as JSON has it, or None. Raises RedisTrouble."""
        with self._tally.asking():
            told = await self._link.call("GET", self._results + (of if isinstance(of, str) else of.id))
        return from_json(told) if isinstance(told, bytes) else None

    async def close(self) -> None:
        """Send what is there if nothing stands in the way; what Redis does not answer in time is unknown."""
        await self._outbox.close(self._timeouts.answer.seconds, self._link.close)
        self._tally.look()

    def leave_behind(self) -> None:
        """This process is a child, and the connection its parent's."""
        self._tally.leave_behind()

    async def __aenter__(self) -> Self:
        """Where Redis is there, ask whether it can do what the spec asks for. Raises CannotGoOn."""
        if not self._keeps_nothing:  # only a history's backlog is counted by lag, which takes Redis 7
            try:
                await self._post.try_out()
            except RedisTrouble:
                pass  # the first send hears of it
            except BaseException:
                await self.close()
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()

    def _refuse_what_means_nothing(self, key: str | None, correlation: str | None) -> None:
        if key is not None and not self._dedups:
            raise ValueError("a `key` tells duplicates, and the spec has no `message.dedup`")
        if correlation is not None and not self._correlates:
            raise ValueError("the spec has no `message.correlate`, so no field is there for a `correlation`")

    def _deadline(self, timeout: Span | None) -> float | None:
        return None if timeout is None else self._clock() + milliseconds(timeout) / 1000

    def _composed(self, body: object, wanted: Wanted) -> Letter:
        try:
            return self._composer.compose(body, wanted)
        except NotSent as error:
            self._tally.became(Failed(error))
            raise


def _following(trace: Mapping[str, str | None] | None) -> AbstractContextManager[None]:
    """What is sent now belongs to the trace of a request; headers that say nothing count for nothing."""
    if trace is None:
        return nullcontext()
    said = {name.lower(): value for name, value in trace.items()}  # names of HTTP headers, in whatever case
    parent, state = ((said.get(name) or "").encode("utf-8", "replace") for name in ("traceparent", "tracestate"))
    found = read(parent, state)
    return nullcontext() if found is None else within(found)


def _tell(span: Sending, letter: Letter) -> None:
    span.sent(letter.id)
    if span.span is not None and letter.correlation is not None:
        span.span.set_attribute("messaging.message.conversation_id", letter.correlation[:LONGEST_VALUE])
