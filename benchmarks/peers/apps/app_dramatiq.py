"""dramatiq: RedisBroker, one process with its default of eight threads. It has no bulk send."""

from __future__ import annotations

from typing import Any

import dramatiq
import hits
import producing
from dramatiq.brokers.redis import RedisBroker

# By default, one in a thousand commands looks for lost messages.
lease = {"heartbeat_timeout": hits.LEASE * 1000, "maintenance_chance": 1_000_000} if hits.LEASE else {}
broker = RedisBroker(url=hits.URL, **lease)
dramatiq.set_broker(broker)


@dramatiq.actor(queue_name=hits.QUEUE)
def noop(message: dict[str, Any]) -> None:
    hits.handle_in_thread(message)


if __name__ == "__main__":
    producing.serve_blocking(noop.send)
