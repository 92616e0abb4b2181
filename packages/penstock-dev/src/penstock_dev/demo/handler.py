"""The example's handler as the demo runs it: slowed down, and with its runs in the ledger."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from penstock import Middleware, handler
from penstock_dev.demo.ledger import FINISHED, STARTED, append
from penstock_dev.demo.timing import LEAST, SPREAD


class RecordRuns(Middleware):
    """Records runs, and simulates a slow vector database."""

    async def before(self, message: Any, context: Any) -> None:  # noqa: ANN401 - as in the base class
        append(STARTED, context.message_id, context.attempt)
        await asyncio.sleep(LEAST + SPREAD * (hash(message.pet_id) % 100) / 100)

    async def after(self, message: Any, context: Any, result: Any) -> None:  # noqa: ANN401 - as in the base class
        """Record the end; the message is not settled in Redis yet."""
        del message, result
        append(FINISHED, context.message_id, context.attempt)


cluster = handler(middleware=[RecordRuns()])(importlib.import_module("media.clustering").cluster)
