"""The producer for programs without an event loop, and for servers that fork their workers.

An event loop in a thread does the work. The first send starts the thread, and so does the first send after a fork:
threads do not survive a fork, and the child must not use the parent's connection.
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
from penstock.producer.due import TimeSpan, milliseconds
from penstock.producer.errors import Closed, closed
from penstock.producer.loop_thread import LoopThread
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.producer import Producer
from penstock.producer.spec_file import pipeline_of
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

CHUNK = 2000
"""Bodies passed to the thread at once. The caller's thread consumes the iterable."""


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
        """See `Producer`. Raises CannotGoOn here, not with the first send."""
        self._make = partial(Producer, pipeline, redis, credentials=credentials, metrics=metrics)
        self._make()
        self._thread: LoopThread | None = None
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
        """See `Producer.of`."""
        resolved, credentials = pipeline_of(spec, env=env, redis_url=redis_url, platform=platform)
        return cls(resolved, credentials=credentials)

    def send(  # noqa: PLR0913 - as `Producer.send`
        self,
        body: object,
        *,
        key: str | None = None,
        delay: TimeSpan | None = None,
        at: datetime | None = None,
        timeout: TimeSpan | None = None,
        correlation: str | None = None,
        trace: Mapping[str, str | None] | None = None,
    ) -> Sent | Duplicate:
        """See `Producer.send`."""
        return self._running().do(
            lambda producer: producer.send(
                body, key=key, delay=delay, at=at, timeout=timeout, correlation=correlation, trace=trace
            )
        )

    def send_many(
        self,
        bodies: Iterable[object],
        *,
        delay: TimeSpan | None = None,
        at: datetime | None = None,
        timeout: TimeSpan | None = None,
        trace: Mapping[str, str | None] | None = None,
    ) -> list[Outcome]:
        """See `Producer.send_many`."""
        source = iter(bodies)
        outcomes: list[Outcome] = []
        deadline = None if timeout is None else time.monotonic() + milliseconds(timeout) / 1000
        while chunk := list(islice(source, CHUNK)):
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            send = partial(Producer.send_many, bodies=chunk, delay=delay, at=at, timeout=left, trace=trace)
            try:
                outcomes += self._running().do(send)
            except Closed:  # another thread closed it; earlier outcomes are known
                outcomes += [Failed(closed()) for _ in chunk]
        return outcomes

    def result(self, of: Sent | Duplicate | str) -> Any:  # noqa: ANN401 - any JSON value
        """See `Producer.result`."""
        return self._running().do(partial(Producer.result, of=of))

    def close(self) -> None:
        """See `Producer.close`."""
        with self._lock:
            self._closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()

    def __enter__(self) -> Self:
        """Do nothing yet: a server may still fork."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _running(self) -> LoopThread:
        with self._lock:
            if self._closed:
                raise closed()
            if self._thread is None:
                self._thread = LoopThread(self._make)
            return self._thread

    def after_fork(self) -> None:
        """Reset what a forked child inherited: the thread is gone, and the lock may be locked forever.

        Keep the thread's objects and never use them: closing them would remove the parent's sockets from its
        selector, which both processes share.
        """
        if self._thread is not None:
            self._thread.after_fork()
            _ABANDONED.append(self._thread)
        self._thread = None
        self._lock = threading.Lock()


_ALL: WeakSet[SyncProducer] = WeakSet()
_ABANDONED: list[LoopThread] = []


def _after_fork() -> None:
    for producer in _ALL:
        producer.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
