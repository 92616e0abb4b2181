"""Sends queued messages in order, several per call, one call at a time.

Callers queue a batch and wait for it. So concurrent sends share calls, no call is cancelled half-way, and an obstacle
for one message delays all later ones.

Usually, the connection is open and each answer starts the next call: that needs no task. A task sends while there is
something to wait for: a connection, a retry, room in the backlog.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

from penstock.producer.encoded import Batch, EncodedMessage
from penstock.producer.errors import NotSent, TimedOut, Unknown, closed
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.pace import Pace
from penstock.producer.producer_metrics import ProducerMetrics
from penstock.producer.queue import Queue
from penstock.producer.redis_monitor import RedisMonitor
from penstock.producer.retrying import Full, Obstacle, SendRetries, is_transient, note_attempt
from penstock.producer.send_script import ScriptResult, SendScript
from penstock.wire.errors import RedisTrouble

MOST_BYTES = 512 * 1024
"""The most bytes of one call, unless a single message has more."""


class Sender:
    """Sends over one connection."""

    def __init__(  # noqa: PLR0913 - its collaborators, each of another type
        self,
        script: SendScript,
        retries: SendRetries,
        monitor: RedisMonitor,
        metrics: ProducerMetrics,
        *,
        clock: Callable[[], float],
        pace: Pace,
    ) -> None:
        """No task is started before the first message. `clock` is monotonic."""
        self._script = script
        self._retries = retries
        self._monitor = monitor
        self._metrics = metrics
        self._clock = clock
        self._pace = pace
        self._queue = Queue()
        self._in_flight: Sequence[EncodedMessage] = ()
        self._obstacle: Obstacle | None = None
        self._task: asyncio.Task[None] | None = None
        self._active = False
        """Whether a call is in flight, or something is going to make the next one."""
        self._idle: asyncio.Future[None] | None = None
        self._alone = True
        """Whether the last call had one message: then a send does not wait for others to share its call."""
        self._closing = False
        self._wake = asyncio.Event()

    def put(self, messages: Sequence[EncodedMessage]) -> Batch:
        """Add messages to the end of the queue."""
        loop = asyncio.get_running_loop()
        batch = Batch(messages, self._clock(), loop)
        if self._closing:
            self._fail(messages, closed)
        elif self._monitor.refuses():
            self._fail(messages, self._monitor.breaker_error)
        else:
            self._queue.put(messages)
            if messages and not self._active:
                self._active = True
                if self._alone and len(messages) == 1:
                    self._next()
                else:
                    loop.call_soon(self._next)
        return batch

    async def wait(self, batch: Batch, deadline: float | None) -> list[Outcome]:
        """Wait for the outcomes. After the deadline, start no new attempt, but await the call in flight."""
        try:
            if deadline is not None and not batch.over:
                await asyncio.wait((batch.done,), timeout=max(0.0, deadline - self._clock()))
                if not batch.over:
                    self._give_up(batch)
            await batch.done
        except asyncio.CancelledError:
            self.abandon(batch)
            raise
        return batch.outcomes()

    def abandon(self, batch: Batch) -> None:
        """Drop a batch whose caller is gone. Messages that were not sent yet are never sent."""
        batch.done.cancel()
        self._withdraw(batch)

    async def close(self, within: float, disconnect: Callable[[], Awaitable[None]]) -> None:
        """Send queued messages until there is an obstacle, for at most `within` seconds; then disconnect."""
        self._closing = True
        self._wake.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._until_idle()
        self._fail(self._queue.clear(), closed)
        await disconnect()
        await self._until_idle()
        self._monitor.close()

    async def _until_idle(self) -> None:
        while self._active:
            self._idle = asyncio.get_running_loop().create_future()
            await self._idle

    def _rest(self) -> None:
        self._active = False
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def _next(self) -> None:
        """Make the next call, if there is something to send; start the task if the call must wait."""
        messages = self._queue.take(self._pace.most, MOST_BYTES)
        if not messages:
            self._rest()
            return
        self._alone = len(messages) == 1
        self._in_flight = messages
        landed = partial(self._landed, messages, self._clock())
        try:
            if not (self._monitor.is_calm and self._script.start(messages, landed)):
                self._send_by_task(messages)
        except BaseException as error:
            self._abort(error)  # or callers would wait forever
            self._rest()
            raise

    def _landed(
        self,
        messages: Sequence[EncodedMessage],
        started: float,
        results: Sequence[ScriptResult | RedisTrouble] | None,
    ) -> None:
        """Report the results of a call without a task, and make the next one."""
        try:
            if results is None:
                self._send_by_task(messages)
                return
            self._record(messages, results, started)
            if self._obstacle is None:
                self._next()
            else:
                self._send_by_task(())
        except BaseException as error:
            self._abort(error)  # or callers would wait forever
            self._rest()
            raise

    def _send_by_task(self, messages: Sequence[EncodedMessage]) -> None:
        """Start the task, which sends these messages first."""
        self._in_flight = ()
        self._queue.put_back(messages)
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while True:
                if self._obstacle is not None:
                    await self._pause(self._obstacle)
                messages = self._queue.take(self._pace.most, MOST_BYTES)
                if not messages:
                    break
                if not self._monitor.allows():
                    self._fail((*messages, *self._queue.clear()), self._monitor.breaker_error)
                    break
                await self._send(messages)
                if not isinstance(self._obstacle, Full):
                    self._metrics.waiting(0)
        except BaseException as error:
            self._abort(error)
            raise
        finally:
            self._task = self._obstacle = None
            self._metrics.waiting(0)
            self._rest()

    async def _send(self, messages: Sequence[EncodedMessage]) -> None:
        self._in_flight = messages
        self._metrics.retries(sum(message.attempts > 0 for message in messages))
        started = self._clock()
        results: Sequence[ScriptResult | RedisTrouble]
        try:
            results = await self._script.run(messages)
        except RedisTrouble as error:
            results = [error] * len(messages)
        self._record(messages, results, started)

    def _record(
        self, messages: Sequence[EncodedMessage], results: Sequence[ScriptResult | RedisTrouble], started: float
    ) -> None:
        """Report what is decided, and queue the rest again."""
        self._in_flight = ()
        self._obstacle = None
        trouble: RedisTrouble | None = None
        again: list[EncodedMessage] = []
        for message, result in zip(messages, results, strict=True):
            if isinstance(result, (Sent, Duplicate)):
                self._report(message, result)
                continue
            if isinstance(result, RedisTrouble):
                note_attempt(message, result, started)
                trouble = result if is_transient(result) else trouble
            if self._retries.again(message, result, self._clock()):
                again.append(message)
                self._obstacle = result
            else:
                self._report(message, self._retries.give_up(message, result))
        self._monitor.record(trouble)
        if again:
            self._queue.put_back(again)
        self._pace.record_room(len(messages) - len(again), for_all=not again)

    async def _pause(self, obstacle: Obstacle) -> None:
        """Wait before the next attempt: for as long as the first message in the queue requires."""
        if not self._queue:  # its messages were withdrawn before the task began
            return
        if isinstance(obstacle, Full):
            self._metrics.waiting(len(self._queue))
            wait = self._pace.poll()
        else:
            wait = self._retries.backoff.after(self._queue.first.attempts)
        if not self._closing:
            self._wake.clear()
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            return
        if self._closing:
            for message in self._queue.clear():
                self._report(message, self._retries.give_up(message, obstacle))

    def _withdraw(self, batch: Batch) -> list[EncodedMessage]:
        batch.last_try = True
        withdrawn = self._queue.withdraw(batch.messages)
        if not self._queue:
            self._wake.set()
        return withdrawn

    def _give_up(self, batch: Batch) -> None:
        for message in self._withdraw(batch):
            if self._obstacle is not None:
                self._report(message, self._retries.give_up(message, self._obstacle))
            else:
                self._fail((message,), _timed_out)

    def _report(self, message: EncodedMessage, outcome: Outcome) -> None:
        self._metrics.count(outcome)
        self._metrics.took(self._clock() - message.batch.started)
        message.batch.report(message, outcome)

    def _fail(self, messages: Iterable[EncodedMessage], why: Callable[[], NotSent]) -> None:
        for message in messages:
            error = why()
            unanswered = message.unanswered_since is not None
            self._report(message, Unknown(str(error), message.id) if unanswered else Failed(error))

    def _abort(self, error: BaseException) -> None:
        for message in (*self._in_flight, *self._queue.clear()):
            message.batch.abort(error)
        self._in_flight = ()


def _timed_out() -> TimedOut:
    return TimedOut("`timeout` expired before its turn")
