"""Faults of the Redis server."""

from __future__ import annotations

import re
import time
from pathlib import Path

from servers import wait_for
from targets import ClusterTarget

from .family import Family
from .of_processes import ALL
from .storm import Storm
from .supervised import pause

LONGEST = 40.0


def frozen(storm: Storm) -> None:
    """SIGSTOP of the server: shorter than a lease, longer, and much longer."""
    for seconds in storm.rng.sample((2.0, 15.0, LONGEST), 3):
        storm.server.pause()
        pause(seconds)
        storm.server.resume()
        storm.pause(2, 4)


def full(storm: Storm) -> None:
    """No memory for new data, twice."""
    for _ in range(2):
        storm.server.ask("CONFIG", "SET", "maxmemory", 1)
        storm.pause(3, 6)
        storm.rng.choice(storm.workers).kill()
        storm.pause(1, 3)
        storm.server.ask("CONFIG", "SET", "maxmemory", 0)
        storm.pause(1, 3)


def read_only(storm: Storm) -> None:
    """The server becomes a replica of nobody, then a master without enough replicas."""
    storm.server.ask("REPLICAOF", "127.0.0.1", 1)
    storm.pause(3, 6)
    storm.server.ask("REPLICAOF", "NO", "ONE")
    storm.pause(2, 4)
    storm.server.ask("CONFIG", "SET", "min-replicas-to-write", 1)
    storm.pause(3, 6)
    storm.server.ask("CONFIG", "SET", "min-replicas-to-write", 0)


def restart(storm: Storm) -> None:
    """SIGKILL of the server, which restores everything from its append-only file."""
    for _ in range(3):
        storm.pause(1, 3)
        storm.server.kill()
        storm.pause(0.5, 3)
        storm.server.start()


def tail(storm: Storm) -> None:
    """SIGKILL, and the end of the append-only file is gone.

    The ledger's clock says what may be lost. The server writes to the file before it replies, so a message that was
    acknowledged before `mark` is in the part of the file that existed after `mark`, and that part is kept.
    """
    storm.pause(1, 2)
    mark = time.monotonic()
    kept = append_only_file(storm.server.folder).stat().st_size
    storm.pause(0.5, 2)
    storm.server.kill()
    file = append_only_file(storm.server.folder)
    size = file.stat().st_size
    cut = storm.rng.randint(kept, size)
    with file.open("r+b") as opened:
        opened.truncate(cut)
    storm.forget(after=mark)
    storm.notes.append(f"cut {size - cut} of {size} bytes")
    storm.server.start()
    storm.pause(2, 4)


def append_only_file(folder: Path) -> Path:
    """The file that the server appends to now."""
    [*_, newest] = sorted(
        [*folder.glob("appendonly.aof"), *folder.glob("appendonlydir/*.incr.aof")],
        key=lambda file: [int(number) for number in re.findall(r"\d+", file.name)],
    )
    return newest


def flush(storm: Storm) -> None:
    """FLUSHALL and SCRIPT FLUSH."""
    storm.pause(1, 3)
    storm.server.ask("FLUSHALL")
    storm.forget()
    storm.server.ask("SCRIPT", "FLUSH")
    storm.pause(3, 5)


def failover(storm: Storm) -> None:
    """A planned failover, which loses no acknowledged write."""
    for _ in range(2):
        storm.pause(1, 3)
        storm.target.failover()
    storm.pause(1, 3)


def moving_slot(storm: Storm) -> None:
    """The slot of the stream moves to other nodes."""
    target = storm.target
    assert isinstance(target, ClusterTarget)
    slot = target.ask("CLUSTER", "KEYSLOT", "{trial}")
    assert isinstance(slot, int)
    for _ in range(3):
        storm.pause(1, 3)
        source, destination = target.begin_move(slot)
        storm.pause(0.5, 2)
        target.end_move(slot, source, destination)
    wait_for(lambda: target.holder(slot), "a node serves the slot")


FAMILIES = (
    Family("frozen", "Suspends Redis for 2, 15 and 40 s, in random order.", ALL, frozen),
    Family("full", "Leaves Redis without memory for writes twice, and kills a worker meanwhile.", ALL, full),
    Family(
        "read-only", "Makes Redis a replica of nobody, then a master without the replicas it needs.", ALL, read_only
    ),
    Family("restart", "SIGKILLs Redis three times; it restores its append-only file.", ALL, restart),
    Family(
        "tail",
        "SIGKILLs Redis and cuts the end of its append-only file.",
        "P1 for messages acknowledged before the cut part began; no crash loop, nothing stuck",
        tail,
    ),
    Family("flush", "FLUSHALL and SCRIPT FLUSH.", "P1 for messages sent after it; no crash loop, nothing stuck", flush),
    Family("failover", "Fails over with Sentinel twice, in sync.", ALL, failover, shape="sentinel"),
    Family(
        "slot", "Moves the stream's slot to another node of a Cluster three times.", ALL, moving_slot, shape="cluster"
    ),
)
