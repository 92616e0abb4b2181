"""Kills a peer's worker with SIGKILL while it runs messages, and counts what becomes of them.

A second worker starts at once, as a Deployment would start it. Other messages arrive all the time, because some queues
look for lost ones only when they read others. The ledger is a file that the handlers write, so that it does not depend
on what a queue says of itself.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from catalogue import Peer
from running import Run, Server, until

MESSAGES, SECONDS = 200, 0.5
ENDED_FIRST = 20
"""The worker is killed once it has finished so many."""
EVERY = 0.1
"""Seconds between the messages that arrive after the kill, which are not counted."""
LIMIT = 120.0
"""Seconds to wait for the rest."""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of the messages."""

    running: int
    """Messages that ran when the worker was killed."""
    unfinished: int
    """Messages that no worker had finished when the wait ended."""
    twice: int
    """Messages that were finished twice."""
    first: float | None
    """Seconds from the kill until another worker had begun one of those that had run; None if it did not."""
    taken_over: float | None
    """The same for all of them."""


@dataclass(slots=True)
class Ledger:
    """The lines that the handlers wrote."""

    begun: dict[str, list[float]] = field(default_factory=dict)
    ended: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, path: Path) -> Ledger:
        """Read it, to its last whole line."""
        ledger = cls()
        text = path.read_text() if path.exists() else ""
        for line in text[: text.rfind("\n") + 1].splitlines():
            what, message, at, _ = line.split()
            if int(message) >= MESSAGES:
                continue
            if what == "begin":
                ledger.begun.setdefault(message, []).append(float(at))
            else:
                ledger.ended[message] += 1
        return ledger


def kill(peer: Peer, server: Server, *, lease: bool) -> Aftermath:
    """Kill once. `lease`: the peer's lease is set, instead of its default."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger"
        environ = {"PEER_LEDGER": str(path), "PEER_SECONDS": str(SECONDS), **peer.kill}
        run = Run(peer, server, Path(folder), environ, lease=lease)
        run.redis.ask("FLUSHALL")
        with run.producer() as order:
            order("bulk", 0, MESSAGES)
            victim = run.start(kill_test=True)
            try:
                until(lambda: len(Ledger.of(path).ended) >= ENDED_FIRST, 60, "the worker did nothing")
            finally:
                run.kill(victim)
            killed, before = time.monotonic(), Ledger.of(path)
            running = [message for message in before.begun if not before.ended[message]]
            successor = run.start(kill_test=True)
            try:
                number = MESSAGES
                while len(Ledger.of(path).ended) < MESSAGES and time.monotonic() < killed + LIMIT:
                    order("seq", number, number + 1)
                    number += 1
                    time.sleep(EVERY)
            finally:
                run.kill(successor)
        after = Ledger.of(path)
    again = [min((at for at in after.begun[message] if at > killed), default=None) for message in running]
    seconds = [at - killed for at in again if at is not None]
    return Aftermath(
        running=len(running),
        unfinished=MESSAGES - len(after.ended),
        twice=sum(times > 1 for times in after.ended.values()),
        first=min(seconds, default=None),
        taken_over=max(seconds) if seconds and None not in again else None,
    )
