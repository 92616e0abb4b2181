"""Poison by memory, under a memory limit of the kernel for each worker with its child processes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from memory_limits import MemoryLimit

from . import load
from .account import Facts, by_body
from .family import Family
from .of_processes import ALL, LEASE
from .storm import Storm
from .supervised import Around

LIMIT = 192 << 20
"""Bytes for a worker and its children. A message of the kind `eat` needs 300 MiB."""
EATERS = 3
ATTEMPTS = 2
"""So few that innocent messages beside an eater often get the additional attempt."""


def missing() -> str:
    with tempfile.TemporaryDirectory() as folder, MemoryLimit(LIMIT, Path(folder)) as limit:
        return "" if limit.is_enforced_by_kernel else "a cgroup that this process may write"


def around(storm: Storm, role: str, number: int) -> Around:
    if role != "worker":
        return Around()
    limit = storm.ends.enter_context(MemoryLimit(LIMIT, storm.folder / f"limit-{number}"))
    storm.limits.append(limit)
    return Around(limit.environ(), "limited_process")


def memory(storm: Storm) -> None:
    """Messages that allocate more than the limit, and now and then a SIGKILL."""
    for number in range(EATERS):
        storm.pause(0.5, 2)
        storm.senders[0].send(f"eat-{number}", 0)
        storm.pause(2, 5)
        storm.kill(storm.rng.choice(storm.workers))


def check(storm: Storm, facts: Facts) -> list[str]:
    """No innocent message is dead, unless the storm's own SIGKILL may have ended its last attempt, which ran alone."""
    begun, found = by_body(facts, "begin"), []
    for body, _ in facts.dead:
        if body.partition("-")[0] in load.NEVER_DONE:
            continue
        last = max((one.at for one in begun.get(body, [])), default=float("-inf"))
        if not any(last <= kill <= last + LEASE for kill in storm.kills):
            found.append(f"P4 buried because of others: {body}, begun {len(begun.get(body, []))} times")
    kills = sum(limit.kills for limit in storm.limits)
    storm.notes.append(f"the kernel ended {kills} processes for their memory")
    return found if kills else [*found, "the kernel ended no process: the limit was not reached"]


FAMILIES = (
    Family(
        "memory",
        "Limits each worker with its children to 192 MiB, adds messages that need 300 MiB, and kills workers.",
        f"{ALL}; P4 no message is buried because of another",
        memory,
        attempts=ATTEMPTS,
        exits=(-9,),
        around=around,
        missing=missing,
        checks=check,
    ),
)
