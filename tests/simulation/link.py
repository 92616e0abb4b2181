"""A link whose commands have three moments: issued, executed at the server, answered.

Like the real link it queues commands, connects on demand, drops a connection whose reply was late or was not awaited,
and never resends a command. `Link.run`, which calls scripts, is the real code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Protocol

from penstock.wire.command import Argument
from penstock.wire.errors import Absent, Oversized, Refused, Reply, Unanswered
from penstock.wire.link import DISPLACED, Link

LAST_LOOK = 0.02
"""As in the real link."""


class Owner(Protocol):
    """The process that owns links."""

    name: str

    def receive_huge(self, reply: Reply | Refused) -> None:
        """A reply arrives that is too large for its memory."""


class Client:
    """A connection as the server sees it."""

    __slots__ = ("broken", "id", "link", "op")

    def __init__(self, id_: int, link: SimulatedLink) -> None:
        self.id = id_
        self.link = link
        self.broken = False
        self.op: Op | None = None
        """The command that waits for its reply."""

    def reset(self, reason: str) -> None:
        """Break the connection and fail the waiting command."""
        self.broken = True
        if self.op is not None:
            self.op.fail(reason)


class Op:
    """One command in progress."""

    __slots__ = (
        "after",
        "answered",
        "client",
        "deadline",
        "future",
        "half_open",
        "most",
        "name",
        "reset_after",
        "sent",
        "words",
    )

    def __init__(self, client: Client, name: str, words: Sequence[Argument], sent: Sequence[Argument]) -> None:
        self.client = client
        self.name = name
        """The name of the command or the script."""
        self.words = words
        self.sent = sent
        """The command for the server, which has other hashes for scripts."""
        self.future: asyncio.Future[Reply | Refused] = asyncio.get_running_loop().create_future()
        self.deadline = 0.0
        """When its client gives up."""
        self.after = 0.0
        self.answered = True
        self.reset_after: float | None = None
        """Seconds from its execution to a reset of the connection."""
        self.most: int | None = None
        """The size of a reply above which the client drops it."""
        self.half_open = False
        """Whether it blocks and the server has not noticed that its connection was cut."""

    @property
    def by(self) -> str:
        """The process that sent it."""
        return self.client.link.owner.name

    @property
    def role(self) -> str:
        return self.client.link.role

    @property
    def where(self) -> str:
        return f"{self.by}/{self.role}"

    def deliver(self, reply: Reply | Refused) -> None:
        """Deliver the reply."""
        if not self.client.broken and not self.future.done():
            self.future.set_result(reply)

    def fail(self, reason: str) -> None:
        if not self.future.done():
            self.future.set_exception(Unanswered(reason))


class Transport(Protocol):
    """The network between links and the server."""

    def connect(self, link: SimulatedLink) -> tuple[float, Client | None]:
        """The time to connect, and the connection; None if there is none."""

    def issue(self, client: Client, words: Sequence[Argument]) -> Op:
        """Send a command."""

    def close(self, client: Client) -> None:
        """Close a connection."""


class SimulatedLink(Link):
    """A link over a simulated network."""

    def __init__(self, transport: Transport, owner: Owner, role: str, patience: float, rng: Random) -> None:
        self._transport = transport
        self._patience = patience
        self._turns = asyncio.Lock()
        self._client: Client | None = None
        self._is_closed = False
        self.owner = owner
        self.role = role
        self.rng = rng
        """Decides how long its commands take."""
        self.connections = 0
        self._known: set[str] = set()
        self._sent_whole = None
        self._answer: Reply | Refused = None
        self._watch: asyncio.TimerHandle | None = None

    @property
    def received(self) -> int:  # type: ignore[override] # most answers are never measured
        return size_of(self._answer)

    @property
    def client_id(self) -> int | None:
        return self._client.id if self._client and not self._client.broken else None

    @property
    def is_connected(self) -> bool:
        return self._client is not None and not self._client.broken

    @property
    def client(self) -> Client | None:
        return self._client

    async def call(self, *command: Argument, wait: float = 0.0, most: int | None = None) -> Reply:
        async with self._turns:
            answer = await self._ask(command, self._patience + wait, most)
            self._answer = answer
            if most is not None and self.received > most:
                self._drop("its answer is too large")
                raise Oversized(f"more than {most} bytes")
        if isinstance(answer, Refused):
            raise answer
        return answer

    async def call_connected(self, command: tuple[Argument, ...], number: int) -> Reply:
        if number != self.connections or self._client is None or self._client.broken:
            return None
        return await self.call(*command)

    async def calls(self, commands: Sequence[tuple[Argument, ...]]) -> list[Reply | Refused]:
        answers: list[Reply | Refused] = []
        async with self._turns:
            for command in commands:
                try:
                    answers.append(await self._ask(command, self._patience))
                except Unanswered as error:
                    raise Unanswered(str(error), answers) from None
        return answers

    async def close(self) -> None:
        """Close the link."""
        self._is_closed = True
        self._drop("closed")

    async def _ask(self, command: Sequence[Argument], within: float, most: int | None = None) -> Reply | Refused:
        client = self._client
        if client is None or client.broken:
            client = await self._dial()
        client.op = op = self._transport.issue(client, command)
        loop = asyncio.get_running_loop()
        op.most = most
        op.deadline = deadline = loop.time() + within + LAST_LOOK
        if self._watch is None or self._watch.when() > deadline:
            self._watch = loop.call_at(deadline, self._check_deadline)
        try:
            answer = await op.future
        except BaseException:
            self._drop("not awaited any more")
            raise
        finally:
            client.op = None
        if isinstance(answer, Refused) and answer.code in DISPLACED:
            self._drop(answer.code)
        return answer

    def _check_deadline(self) -> None:
        """Give up an overdue command. One timer for many commands is faster than one for each."""
        self._watch = None
        client, loop = self._client, asyncio.get_running_loop()
        if client is None or client.op is None:
            return
        if client.op.deadline > loop.time():
            self._watch = loop.call_at(client.op.deadline, self._check_deadline)
            return
        self._transport.close(client)
        client.reset("no answer in time")

    async def _dial(self) -> Client:
        self._check()
        seconds, client = self._transport.connect(self)
        await asyncio.sleep(seconds)
        self._check()
        if client is None or client.broken:
            raise Absent("the connection failed")
        self._client = client
        self.connections += 1
        return client

    def _check(self) -> None:
        if self._is_closed:
            raise Absent("the link is closed")

    def _drop(self, reason: str) -> None:
        client, self._client = self._client, None
        if client is not None:
            self._transport.close(client)
            client.reset(reason)


def size_of(answer: Reply | Refused) -> int:
    """The bytes of a reply, about."""
    if isinstance(answer, list):
        return sum(map(size_of, answer))
    return len(answer) if isinstance(answer, bytes) else 0
