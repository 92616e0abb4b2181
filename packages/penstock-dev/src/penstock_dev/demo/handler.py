"""The team's own handler, as the workers of the demo run it: it takes a moment, and its runs stand in the ledger."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from penstock import Middleware, handler
from penstock_dev.demo.ledger import FINISHED, STARTED, append
from penstock_dev.demo.timing import LEAST, SPREAD


class RecordRuns(Middleware):
    """Writes down what runs, and stands in for a vector database that takes its time."""

    async def before(self, message: Any, context: Any) -> None:  # noqa: ANN401 - as the base class says
        """It begins."""
        append(STARTED, context.message_id, context.attempt)
        await asyncio.sleep(LEAST + SPREAD * (hash(message.pet_id) % 100) / 100)

    async def after(self, message: Any, context: Any, result: Any) -> None:  # noqa: ANN401 - as the base class says
        """Its handler has returned; Redis is told next."""
        del message, result
        append(FINISHED, context.message_id, context.attempt)


cluster = handler(middleware=[RecordRuns()])(importlib.import_module("media.clustering").cluster)
