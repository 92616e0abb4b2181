"""One attempt of a worker: a delivery that runs."""

from __future__ import annotations

import asyncio
import math

from penstock.worker.context import Context
from penstock.worker.delivery import Delivery


class Attempt:
    """One delivery that runs."""

    __slots__ = ("alone", "context", "delivery", "ended", "patience", "started", "task")

    def __init__(self, delivery: Delivery, context: Context, *, alone: bool) -> None:
        self.delivery = delivery
        """Its fence now; the context keeps the delivery with which the handler started."""
        self.context = context
        self.started = math.inf
        """When its task took its first step."""
        self.alone = alone
        self.ended = False
        """Whether its outcome is decided; its handler may still run."""
        self.task: asyncio.Task[None] | None = None
        self.patience: asyncio.TimerHandle | None = None
