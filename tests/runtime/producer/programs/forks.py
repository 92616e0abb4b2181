"""Sends, forks, and sends: from the parent, from children that were forked while it sent, and from one of theirs."""

from __future__ import annotations

import os
import sys
import threading

from penstock.observe.board import process_board
from penstock.producer import SyncProducer
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

SPEC = Pipeline.model_validate(
    {
        "kind": "pipeline",
        "name": "trial",
        "owner": {"team": "tests"},
        "handler": "handlers:handle",
        "image": "registry.example/trial:1.0.0",
        "stream": {"key": "jobs", "group": "crew"},
        "dead_letter": {"key": "{jobs}:dead"},
    }
)


def sends(producer: SyncProducer, who: str, numbers: range) -> None:
    """So many messages."""
    for n in numbers:
        producer.send({"job": f"{who} {n}"})


def connections() -> float:
    """As this process tells them."""
    [gauge] = [one for one in process_board().collect() if one.name == "penstock_redis_connections"]
    return gauge.samples[0].value


def tell_threads() -> None:
    """Whether this one is alone, and says of no connection that it is its own."""
    sys.stdout.write(f"{threading.active_count() == 1 and connections() == 0}\n")
    sys.stdout.flush()


def child(producer: SyncProducer, which: int) -> None:
    """What a forked worker does; the second forks once more."""
    tell_threads()
    sends(producer, f"child {which}", range(20))
    if which == 1 and not (pid := os.fork()):
        tell_threads()
        sends(producer, "grandchild", range(20))
        producer.close()
        sys.exit(0)
    if which == 1:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    producer.close()


def hold(producer: SyncProducer, held: threading.Event, forked: threading.Event) -> None:
    """What any send does for a moment, and whoever looks at the metrics."""
    with producer._lock, process_board()._lock:  # noqa: SLF001 - the moment must be that of the fork
        held.set()
        forked.wait()


def main() -> int:
    """Fork in the middle of a send of another thread, which holds whatever locks there are to hold."""
    producer = SyncProducer(SPEC, Redis(addresses=[sys.argv[1]]), credentials=Credentials())
    sends(producer, "parent", range(5))
    busy = threading.Thread(target=sends, args=(producer, "parent", range(5, 15)))
    busy.start()
    held, forked = threading.Event(), threading.Event()
    holder = threading.Thread(target=hold, args=(producer, held, forked))
    holder.start()
    held.wait()
    children = []
    for which in range(2):
        pid = os.fork()
        if not pid:
            child(producer, which)
            return 0
        children.append(pid)
    forked.set()
    sends(producer, "parent", range(15, 20))
    busy.join()
    holder.join()
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    producer.close()
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
