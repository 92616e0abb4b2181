"""Letters on their way to Redis: in order, as many as have gathered in one call, one call at a time.

Whoever sends puts an order in and waits for it; one task brings the letters. So sends from many tasks share calls, no
call is cancelled half-way, and what stands in the way of one letter stands in the way of all behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from penstock.producer.errors import NotSent, TimedOut, Unknown, closed
from penstock.producer.letter import Letter, Order
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.pace import Pace
from penstock.producer.post import Post, Verdict
from penstock.producer.queue import Queue
from penstock.producer.tally import Tally
from penstock.producer.trouble import Full, Insistence, Obstacle, passes, was_sent
from penstock.producer.watch import Watch
from penstock.wire.errors import RedisTrouble

MOST_BYTES = 512 * 1024
"""Of one call, unless a single letter has more."""


class Outbox:
    """One for each connection."""

    def __init__(  # noqa: PLR0913 - what it works with, each of a kind of its own
        self,
        post: Post,
        insistence: Insistence,
        watch: Watch,
        tally: Tally,
        *,
        clock: Callable[[], float],
        pace: Pace,
    ) -> None:
        """Nothing runs until there is something to send. The clock is monotonic."""
        self._post = post
        self._insistence = insistence
        self._watch = watch
        self._tally = tally
        self._clock = clock
        self._pace = pace
        self._queue = Queue()
        self._flying: Sequence[Letter] = ()
        self._obstacle: Obstacle | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._wake = asyncio.Event()

    def put(self, letters: Sequence[Letter]) -> Order:
        """Send these, behind all that are there."""
        order = Order(letters, self._clock(), asyncio.get_running_loop())
        if self._closing:
            self._fail(letters, closed)
        elif self._watch.refuses():
            self._fail(letters, self._watch.broken)
        else:
            self._queue.put(letters)
            if self._task is None and letters:
                self._task = asyncio.create_task(self._run())
        return order

    async def wait(self, order: Order, deadline: float | None) -> list[Outcome]:
        """What became of each. From the deadline on nothing more is begun; what is on its way is awaited."""
        try:
            if deadline is not None and not order.over:
                await asyncio.wait((order.done,), timeout=max(0.0, deadline - self._clock()))
                if not order.over:
                    self._give_up(order)
            await order.done
        except asyncio.CancelledError:
            self.abandon(order)
            raise
        return order.told()

    def abandon(self, order: Order) -> None:
        """Nobody waits for it any more. What has not been handed to Redis never is."""
        order.done.cancel()
        self._withdraw(order)

    async def close(self, within: float, hang_up: Callable[[], Awaitable[None]]) -> None:
        """Bring what is there as long as nothing stands in the way, for so many seconds at most; then hang up."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await asyncio.wait((self._task,), timeout=within)
        self._fail(self._queue.clear(), closed)
        await hang_up()
        if self._task is not None:
            await asyncio.wait((self._task,))
        self._watch.leave()

    async def _run(self) -> None:
        try:
            while letters := self._queue.take(self._pace.most, MOST_BYTES):
                if not self._watch.admits():
                    self._fail((*letters, *self._queue.clear()), self._watch.broken)
                    break
                await self._bring(letters)
                if not isinstance(self._obstacle, Full):
                    self._tally.waiting(0)
                if self._obstacle is not None:
                    await self._pause(self._obstacle)
        except BaseException as error:
            self._break_off(error)  # whoever waits must not wait for ever
            raise
        finally:
            self._task = None
            self._tally.waiting(0)

    async def _bring(self, letters: Sequence[Letter]) -> None:
        self._flying = letters
        self._tally.retries(sum(letter.attempts > 0 for letter in letters))
        began = self._clock()
        verdicts: Sequence[Verdict | RedisTrouble]
        try:
            verdicts = await self._post.bring(letters)
        except RedisTrouble as error:
            verdicts = [error] * len(letters)
        self._flying = ()
        self._obstacle = None
        trouble: RedisTrouble | None = None
        again: list[Letter] = []
        for letter, verdict in zip(letters, verdicts, strict=True):
            if isinstance(verdict, (Sent, Duplicate)):
                self._tell(letter, verdict)
                continue
            if isinstance(verdict, RedisTrouble):
                was_sent(letter, verdict, began)
                trouble = verdict if passes(verdict) else trouble
            if self._insistence.again(letter, verdict, self._clock()):
                again.append(letter)
                self._obstacle = verdict
            else:
                self._tell(letter, self._insistence.given_up(letter, verdict))
        self._watch.saw(trouble)
        self._queue.put_back(again)
        self._pace.found_room(len(letters) - len(again), for_all=not again)

    async def _pause(self, obstacle: Obstacle) -> None:
        """Wait for it to pass. The first in the row sets the pace."""
        if isinstance(obstacle, Full):
            self._tally.waiting(len(self._queue))
            wait = self._pace.poll()
        else:
            wait = self._insistence.backoff.after(self._queue.first.attempts)
        if not self._closing:
            self._wake.clear()
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            return
        if self._closing:
            for letter in self._queue.clear():
                self._tell(letter, self._insistence.given_up(letter, obstacle))

    def _withdraw(self, order: Order) -> list[Letter]:
        order.last_try = True
        mine = self._queue.withdraw(order.letters)
        if not self._queue:
            self._wake.set()
        return mine

    def _give_up(self, order: Order) -> None:
        for letter in self._withdraw(order):
            if self._obstacle is not None:
                self._tell(letter, self._insistence.given_up(letter, self._obstacle))
            else:
                self._fail((letter,), _timed_out)

    def _tell(self, letter: Letter, outcome: Outcome) -> None:
        self._tally.became(outcome)
        self._tally.took(self._clock() - letter.order.began)
        letter.order.tell(letter, outcome)

    def _fail(self, letters: Iterable[Letter], why: Callable[[], NotSent]) -> None:
        for letter in letters:
            error = why()
            doubtful = letter.doubtful_since is not None
            self._tell(letter, Unknown(str(error), letter.id) if doubtful else Failed(error))

    def _break_off(self, error: BaseException) -> None:
        for letter in (*self._flying, *self._queue.clear()):
            letter.order.break_off(error)
        self._flying = ()


def _timed_out() -> TimedOut:
    return TimedOut("`timeout` was over before its turn came")
