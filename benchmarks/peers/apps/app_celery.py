"""Celery: Redis as broker, late acknowledgements (its at-least-once mode), no results. It has no bulk send."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import hits
import producing
from celery import Celery
from producing import Body

app = Celery("bench", broker=hits.URL)
app.conf.update(
    task_ignore_result=True,
    task_default_queue=hits.QUEUE,
    task_acks_late=True,
    worker_prefetch_multiplier=100 if hits.CONCURRENCY == 1 else 1,
    worker_send_task_events=False,
    task_send_sent_event=False,
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    broker_transport_options={"visibility_timeout": hits.LEASE} if hits.LEASE else {},
)


@app.task(name="noop")
def noop(message: dict[str, Any]) -> None:
    hits.handle_in_thread(message)


def one(body: Body) -> None:
    noop.apply_async((body,))


def many(bodies: Sequence[Body]) -> None:
    with app.producer_pool.acquire(block=True) as sender:
        for body in bodies:
            noop.apply_async((body,), producer=sender)


if __name__ == "__main__":
    import app_celery

    producing.serve_blocking(app_celery.one, app_celery.many)
    sys.exit()
