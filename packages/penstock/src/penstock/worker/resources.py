"""Prepares a handler for its first message: child processes that have imported it, and its lifespan."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from penstock.handling.failures import Failure
from penstock.handling.load import Handler
from penstock.isolation.errors import HandlerImportError, IsolationError
from penstock.isolation.spawner import Spawner
from penstock.observe.events import Event
from penstock.observe.failures import failure
from penstock.observe.logs import Log
from penstock_spec.findings import CannotGoOn


class HandlerResources:
    """Started before the first message, closed after the last."""

    def __init__(self, handler: Handler, spawner: Spawner | None, stop: asyncio.Event, log: Log) -> None:
        """`spawner` is given if messages run in children; `stop` is set when the worker must drain."""
        self._handler = handler
        self._spawner = spawner
        self._stop = stop
        self._log = log
        self._lifespan = AsyncExitStack()

    async def start(self) -> bool:
        """Start everything; False if the worker was stopped meanwhile."""
        loop = asyncio.get_running_loop()
        patience = asyncio.timeout(None)

        async def give_up() -> None:
            await self._stop.wait()
            patience.reschedule(loop.time())

        stop = asyncio.create_task(give_up(), name="stop")
        try:
            async with patience:
                await self._warm_up()
                if self._handler.lifespan is not None and self._spawner is None:  # else each child starts its own
                    await self._lifespan.enter_async_context(self._handler.lifespan())
        except CannotGoOn:
            raise
        except Exception as error:
            if self._stop.is_set():
                return False
            problem = f"`lifespan` of `{self._handler.name}` failed to start: {Failure.of(error).error}"
            raise CannotGoOn(problem, f"see its `lifespan`: {failure(error).at}") from error
        finally:
            stop.cancel()
        return True

    async def _warm_up(self) -> None:
        """Import the handler in the fork server, so that the import does not use up the first messages' timeout."""
        if self._spawner is None:
            return
        try:
            await self._spawner.start()
        except HandlerImportError as error:
            says = f"`{self._handler.name}` cannot be imported in a child process: {error}"
            raise CannotGoOn(says, "its import works only in the worker's own process; see the error above") from error
        except IsolationError as error:
            self._log.event(Event.ISOLATION_FAILED, error=str(error))
        else:
            if why := self._spawner.each_imports:
                self._log.event(Event.ISOLATION_SLOW, reason=why)

    async def close(self, seconds: float) -> None:
        """Exit the lifespan; if it hangs, give up."""
        try:
            async with asyncio.timeout(seconds):
                await self._lifespan.aclose()
        except Exception as error:  # noqa: BLE001 - all messages are settled already
            self._log.event(Event.LIFESPAN_EXIT_FAILED, error)
