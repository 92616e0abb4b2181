"""Send from a parent, from children forked during its sends, and from a grandchild."""

from __future__ import annotations

import os
import sys
import threading

from penstock.observe.collector import process_collector
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


def sends(producer: SyncProducer, sender: str, numbers: range) -> None:
    """Send a message for each number."""
    for n in numbers:
        producer.send({"job": f"{sender} {n}"})


def connections() -> float:
    """Return the connections that this process exposes."""
    [gauge] = [one for one in process_collector().collect() if one.name == "penstock_redis_connections"]
    return gauge.samples[0].value


def report_fork_state() -> None:
    """Print whether this process has one thread and exposes no connection."""
    sys.stdout.write(f"{threading.active_count() == 1 and connections() == 0}\n")
    sys.stdout.flush()


def child(producer: SyncProducer, which: int) -> None:
    """Send as a forked worker does; the second child forks once more."""
    report_fork_state()
    sends(producer, f"child {which}", range(20))
    if which == 1 and not (pid := os.fork()):
        report_fork_state()
        sends(producer, "grandchild", range(20))
        producer.close()
        sys.exit(0)
    if which == 1:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    producer.close()


def hold(producer: SyncProducer, held: threading.Event, forked: threading.Event) -> None:
    """Hold the locks that a send and a metrics collection hold for a moment."""
    with producer._lock, process_collector()._lock:  # noqa: SLF001 - the fork must happen at this moment
        held.set()
        forked.wait()


def main() -> int:
    """Fork during a send of another thread, while a third thread holds all locks."""
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
