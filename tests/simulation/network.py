"""The network between links and the server: every command takes time on both ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

from .link import Client, Op, SimulatedLink
from .server import Redis
from .store import Texts
from .universe import Universe

CONNECTS = 2.0
"""Seconds that a link waits for a connection."""

Moment = str
"""`issued`, `executed` or `answered`."""


@dataclass(slots=True)
class Fate:
    """What becomes of one command."""

    executed: bool = True
    answered: bool = True
    before: float = 0.0
    """Additional seconds before its execution."""
    after: float = 0.0
    """Additional seconds before its answer."""
    reset: float | None = None
    """Seconds from its sending to a reset of the connection; None if the client must find out itself."""
    reset_after: float | None = None
    """The same, after its execution."""
    lurks: bool = False
    """The server does not notice that its connection was reset."""
    refused: str = ""
    """The error with which the server answers instead of executing it."""
    marks: list[str] = field(default_factory=list)
    """Words for the trace."""


class Network:
    """All connections to one server."""

    def __init__(self, universe: Universe, redis: Redis, texts: Texts, kind: str, tell: Callable[[str], None]) -> None:
        self._universe = universe
        self._redis = redis
        self._texts = texts
        self._kind = kind
        self._tell = tell
        self._clients = 0
        self.fate: Callable[[Op], Fate] = lambda _: Fate()
        """Decides the fate of a new command."""
        self.passes: Callable[[Op, Moment], None] = lambda _, __: None
        """Learns of every moment of every command."""
        self.cut_off: set[str] = set()
        """Processes that reach no server."""
        self.on_the_way: Counter[str] = Counter()
        """The number of commands that were sent and not executed yet, by name."""
        self.late_until = 0.0
        """When the last late command arrives."""

    def connect(self, link: SimulatedLink) -> tuple[float, Client | None]:
        seconds = self._takes(link.rng)
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
        there, back = self._takes(rng), self._takes(rng)
        fate = self.fate(op)
        op.after = back + fate.after
        op.lurks = fate.lurks
        op.reset_after = fate.reset_after
        silent = op.by in self.cut_off
        op.answered = fate.answered and not silent
        if fate.reset is not None:
            self._universe.after(fate.reset, self.reset, client, "the connection was reset")
        if fate.refused:
            self._universe.after(there, self._answer, op, Refused(fate.refused))
        elif fate.executed and not silent:
            self.on_the_way[op.name] += 1
            self.late_until = max(self.late_until, self._universe.now + fate.before)
            self._universe.after(there + fate.before, self._arrive, op)
        self.passes(op, "issued")
        return op

    def answered(self, op: Op, reply: Reply | Refused) -> None:
        """The server has answered."""
        self.passes(op, "executed")
        self._answer(op, reply)
        if op.reset_after is not None:
            self._universe.after(op.reset_after, self.reset, op.client, "the connection was reset")

    def _answer(self, op: Op, reply: Reply | Refused) -> None:
        if op.answered:
            self._universe.after(op.after, self._deliver, op, reply)

    def _deliver(self, op: Op, reply: Reply | Refused) -> None:
        if not op.client.broken:
            op.deliver(reply)
            self.passes(op, "answered")

    def _arrive(self, op: Op) -> None:
        self.on_the_way[op.name] -= 1
        self._redis.arrive(op)

    def reset(self, client: Client, says: str) -> None:
        """Break a connection, unless it is closed."""
        if not client.broken:
            self._tell(f"{client.link.owner.name}/{client.link.role}: {says}")
            client.reset(says)
            self._redis.hung_up(client)

    def close(self, client: Client) -> None:
        """The client has closed the connection, or its process ended."""
        if not client.broken:
            client.broken = True
            self._redis.hung_up(client)

    def _takes(self, rng: Random) -> float:
        """Seconds for one way."""
        if self._kind == "quick":
            return rng.uniform(0.0001, 0.0005)
        if self._kind == "rough" and rng.random() < 0.03:
            return rng.choice((0.03, 0.2, 1.0, 2.0)) * rng.random()
        return rng.uniform(0.0002, 0.004)
