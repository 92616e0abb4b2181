"""The demo's traffic: little, then a burst, then a steady stream that ends."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from penstock.message.ulid import Ulids
from penstock.producer.outcomes import Sent
from penstock.producer.producer import Producer
from penstock_spec.findings import CannotGoOn

TICK = 0.25
TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Phase:
    """Messages sent evenly over some seconds."""

    count: int
    seconds: float


PHASES = (Phase(60, 4), Phase(600, 0.25), Phase(480, 10), Phase(60, 4))
TOTAL = sum(phase.count for phase in PHASES)


def ticks(phases: tuple[Phase, ...] = PHASES) -> Iterator[int]:
    """The number of messages in each tick."""
    for phase in phases:
        steps = max(1, round(phase.seconds / TICK))
        for step in range(steps):
            yield phase.count * (step + 1) // steps - phase.count * step // steps


def message(ids: Ulids) -> dict[str, object]:
    """A message as the media service would send it."""
    return {
        "job_id": ids(),
        "pet_id": str(uuid.uuid4()),
        "image_ids": [str(uuid.uuid4()) for _ in range(3)],
        "reason": "upload",
        "metadata": {"emitted_at": datetime.now(UTC).isoformat(), "source": "demo"},
    }


async def send_all(producer: Producer, sent: set[str]) -> None:
    """Send everything, and add the ids of accepted messages to `sent`. Raises CannotGoOn."""
    ids, loop = Ulids(), asyncio.get_running_loop()
    due = loop.time()
    for count in ticks():
        for outcome in await producer.send_many([message(ids) for _ in range(count)], timeout=TIMEOUT):
            if not isinstance(outcome, Sent):
                raise CannotGoOn(f"a message was not sent: {getattr(outcome, 'error', outcome)}")
            sent.add(outcome.id)
        due += TICK
        await asyncio.sleep(due - loop.time())
