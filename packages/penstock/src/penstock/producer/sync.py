"""The producer for programs without an event loop, and for servers that fork their workers.

A loop in a thread of its own does the work. It is made by the first send, and again by the first send after a fork: of
all threads only the one that forked goes on in the child, and the parent's connection is not the child's to use.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from penstock.observe.metrics import Metrics
from penstock.producer.due import Span, milliseconds
from penstock.producer.errors import Closed, closed
from penstock.producer.named import pipeline_named
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.producer import Producer
from penstock.producer.thread import Thread
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

AT_ONCE = 2000
"""Bodies that are handed to the other thread together. They are taken from where they come from in the caller's own."""


class SyncProducer:
    """A `Producer` whose calls block. Threads may share it.

    with SyncProducer.of("specs/media-cluster.yaml", env="production") as producer:
        sent = producer.send({"job_id": "42", "image_ids": []})
    """

    def __init__(
        self,
        pipeline: ResolvedPipeline | Pipeline,
        redis: Redis | None = None,
        *,
        credentials: Credentials | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        """As for `Producer`; what could never work is told here, not with the first send."""
        self._make = partial(Producer, pipeline, redis, credentials=credentials, metrics=metrics)
        self._make()
        self._thread: Thread | None = None
        self._closed = False
        self._lock = threading.Lock()
        _ALL.add(self)

    @classmethod
    def of(
        cls,
        spec: str | Path,
        *,
        env: str | None = None,
        redis_url: str | None = None,
        platform: str | Path | None = None,
    ) -> Self:
        """As `Producer.of`."""
        resolved, credentials = pipeline_named(spec, env=env, redis_url=redis_url, platform=platform)
        return cls(resolved, credentials=credentials)

    def send(  # noqa: PLR0913 - as `Producer.send`
        self,
        body: object,
        *,
        key: str | None = None,
        delay: Span | None = None,
        at: datetime | None = None,
        timeout: Span | None = None,
        correlation: str | None = None,
        trace: Mapping[str, str | None] | None = None,
    ) -> Sent | Duplicate:
        """As `Producer.send`."""
        return self._running().do(
            lambda producer: producer.send(
                body, key=key, delay=delay, at=at, timeout=timeout, correlation=correlation, trace=trace
            )
        )

    def send_many(
        self,
        bodies: Iterable[object],
        *,
        delay: Span | None = None,
        at: datetime | None = None,
        timeout: Span | None = None,
        trace: Mapping[str, str | None] | None = None,
    ) -> list[Outcome]:
        """As `Producer.send_many`."""
        source = iter(bodies)
        outcomes: list[Outcome] = []
        deadline = None if timeout is None else time.monotonic() + milliseconds(timeout) / 1000
        while some := list(islice(source, AT_ONCE)):
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            send = partial(Producer.send_many, bodies=some, delay=delay, at=at, timeout=left, trace=trace)
            try:
                outcomes += self._running().do(send)
            except Closed:  # by another thread; what became of those before is known
                outcomes += [Failed(closed()) for _ in some]
        return outcomes

    def result(self, of: Sent | Duplicate | str) -> Any:  # noqa: ANN401 - whatever JSON can say
        """As `Producer.result`."""
        return self._running().do(partial(Producer.result, of=of))

    def close(self) -> None:
        """As `Producer.close`."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()

    def __enter__(self) -> Self:
        """Nothing yet: a server may still fork."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _running(self) -> Thread:
        with self._lock:
            if self._closed:
                raise closed()
            if self._thread is None:
                self._thread = Thread(self._make)
            return self._thread

    def leave_behind(self) -> None:
        """This process is a child: the thread is not here, nor whoever may have held the lock.

        What the thread had is kept and never touched: to close it would take the parent's sockets out of the parent's
        own selector, which both processes share.
        """
        if self._thread is not None:
            self._thread.leave_behind()
            _LEFT_BEHIND.append(self._thread)
        self._thread = None
        self._lock = threading.Lock()


_ALL: WeakSet[SyncProducer] = WeakSet()
_LEFT_BEHIND: list[Thread] = []


def _after_fork() -> None:
    for one in _ALL:
        one.leave_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
