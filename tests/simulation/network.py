"""The network between links and the server: commands and replies take time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

from .handlers import HUGE
from .link import Client, Op, SimulatedLink, size_of
from .server import Redis
from .store import Texts
from .universe import Universe

CONNECTS = 2.0
"""Seconds that a link waits for a connection."""

Moment = str
"""`issued`, `executed` or `answered`."""


@dataclass(slots=True)
class Fate:
    """What happens to one command."""

    executed: bool = True
    answered: bool = True
    before: float = 0.0
    """Additional seconds before its execution."""
    after: float = 0.0
    """Additional seconds before its reply."""
    reset: float | None = None
    """Seconds from sending it to a reset of the connection; None if the client must notice by itself."""
    reset_after: float | None = None
    """Seconds from its execution to a reset of the connection, or None."""
    half_open: bool = False
    """Whether the server does not notice that the connection was reset."""
    refused: str = ""
    """The error with which the server replies instead of executing it."""
    marks: list[str] = field(default_factory=list)
    """Notes for the trace."""


class Network:
    """All connections to one server."""

    def __init__(self, universe: Universe, redis: Redis, texts: Texts, kind: str, log: Callable[[str], None]) -> None:
        self._universe = universe
        self._redis = redis
        self._texts = texts
        self._kind = kind
        self._log = log
        self._clients = 0
        self.fate: Callable[[Op], Fate | None] = lambda _: None
        """Decides the fate of a new command; None if no fault affects it."""
        self.passes: Callable[[Op, Moment], None] = lambda _, __: None
        """Is called at every moment of every command."""
        self.cut_off: set[str] = set()
        """Processes that reach no server."""
        self.in_transit: Counter[str] = Counter()
        """The number of commands that were sent and not executed yet, by name."""
        self.has_huge = False
        """Whether bodies may be too large for the memory of their receiver."""
        self.late_until = 0.0
        """When the last late command arrives."""

    def connect(self, link: SimulatedLink) -> tuple[float, Client | None]:
        seconds = self._duration(link.rng)
        if link.owner.name in self.cut_off:
            return seconds, None
        if self._redis.is_paused:  # a hanging server accepts no connection
            return CONNECTS, None
        self._clients += 1
        return seconds, Client(self._clients, link)

    def issue(self, client: Client, words: Sequence[Argument]) -> Op:
        name, sent = self._texts.known(words)
        op = Op(client, name, words, sent)
        rng = client.link.rng
        way_out, way_back = self._duration(rng), self._duration(rng)
        op.after = way_back
        fate = self.fate(op)
        if fate is None and not self.cut_off:
            self.in_transit[name] += 1
            self._universe.after(way_out, self._arrive, op)
        else:
            self._send(op, way_out, fate or Fate())
        self.passes(op, "issued")
        return op

    def _send(self, op: Op, way_out: float, fate: Fate) -> None:
        """Send a command that a fault affects."""
        op.after += fate.after
        op.half_open = fate.half_open
        op.reset_after = fate.reset_after
        silent = op.by in self.cut_off
        op.answered = fate.answered and not silent
        if fate.reset is not None:
            self._universe.after(fate.reset, self.reset, op.client, "the connection was reset")
        if fate.refused:
            self._universe.after(way_out, self._answer, op, Refused(fate.refused))
        elif fate.executed and not silent:
            self.in_transit[op.name] += 1
            self.late_until = max(self.late_until, self._universe.now + fate.before)
            self._universe.after(way_out + fate.before, self._arrive, op)

    def answered(self, op: Op, reply: Reply | Refused) -> None:
        """Send the server's reply back."""
        self.passes(op, "executed")
        self._answer(op, reply)
        if op.reset_after is not None:
            self._universe.after(op.reset_after, self.reset, op.client, "the connection was reset")

    def _answer(self, op: Op, reply: Reply | Refused) -> None:
        if op.answered:
            self._universe.after(op.after, self._deliver, op, reply)

    def _deliver(self, op: Op, reply: Reply | Refused) -> None:
        if not op.client.broken:
            if self.has_huge and (op.most is None or op.most > HUGE) and size_of(reply) > HUGE:
                op.client.link.owner.receive_huge(reply)
                return
            op.deliver(reply)
            self.passes(op, "answered")

    def _arrive(self, op: Op) -> None:
        self.in_transit[op.name] -= 1
        self._redis.arrive(op)

    def reset(self, client: Client, reason: str) -> None:
        """Break a connection, unless it is closed."""
        if not client.broken:
            self._log(f"{client.link.owner.name}/{client.link.role}: {reason}")
            client.reset(reason)
            self._redis.connection_closed(client)

    def close(self, client: Client) -> None:
        """Close a connection, as its client or the end of its process does."""
        if not client.broken:
            client.broken = True
            self._redis.connection_closed(client)

    def _duration(self, rng: Random) -> float:
        """Seconds in one direction."""
        if self._kind == "quick":
            return 0.0001 + 0.0004 * rng.random()
        if self._kind == "rough" and rng.random() < 0.03:
            return rng.choice((0.03, 0.2, 1.0, 2.0)) * rng.random()
        return 0.0002 + 0.0038 * rng.random()
