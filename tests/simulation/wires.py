"""What is between links and the server: every command takes its time on the way there and on the way back."""

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
    """What becomes of one command on its way."""

    executed: bool = True
    answered: bool = True
    before: float = 0.0
    """Seconds more before it is executed."""
    after: float = 0.0
    """Seconds more before it is answered."""
    reset: float | None = None
    """The connection is reset so many seconds after it was sent; else the client finds out by itself."""
    reset_after: float | None = None
    """The same, after it was executed."""
    lurks: bool = False
    """The server does not notice that its connection was reset."""
    refused: str = ""
    """What the server says instead of executing it."""
    marks: list[str] = field(default_factory=list)
    """For the trace."""


class Wires:
    """All connections to one server."""

    def __init__(self, universe: Universe, redis: Redis, texts: Texts, kind: str, tell: Callable[[str], None]) -> None:
        self._universe = universe
        self._redis = redis
        self._texts = texts
        self._kind = kind
        self._tell = tell
        self._clients = 0
        self.fate: Callable[[Op], Fate] = lambda _: Fate()
        """What is to become of a command that is issued."""
        self.passes: Callable[[Op, Moment], None] = lambda _, __: None
        """Told of every moment of every command."""
        self.cut_off: set[str] = set()
        """Processes that reach nobody."""
        self.on_the_way: Counter[str] = Counter()
        """Commands that were sent and are not executed, by name."""
        self.late_until = 0.0
        """When the last of them comes that are late."""

    def connect(self, link: SimulatedLink) -> tuple[float, Client | None]:
        seconds = self._takes(link.rng)
        if link.owner.name in self.cut_off:
            return seconds, None
        if self._redis.is_paused:  # nobody says that it is there
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
        """The server has an answer."""
        self.passes(op, "executed")
        self._answer(op, reply)
        if op.reset_after is not None:
            self._universe.after(op.reset_after, self.reset, op.client, "the connection was reset")

    def _answer(self, op: Op, reply: Reply | Refused) -> None:
        if op.answered:
            self._universe.after(op.after, self._come, op, reply)

    def _come(self, op: Op, reply: Reply | Refused) -> None:
        if not op.client.broken:
            op.come(reply)
            self.passes(op, "answered")

    def _arrive(self, op: Op) -> None:
        self.on_the_way[op.name] -= 1
        self._redis.arrive(op)

    def reset(self, client: Client, says: str) -> None:
        """Cut a connection, unless it is gone."""
        if not client.broken:
            self._tell(f"{client.link.owner.name}/{client.link.role}: {says}")
            client.reset(says)
            self._redis.hung_up(client)

    def close(self, client: Client) -> None:
        """The client has hung up, or its process ended."""
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
