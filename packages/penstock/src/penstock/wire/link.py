"""A link to Redis: one connection at a time, to the server that holds a key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from penstock.scripts import Script
from penstock.wire.cluster import announced_address
from penstock.wire.command import Argument, pack
from penstock.wire.connection import Address, Connection
from penstock.wire.errors import Absent, RedisTrouble, Refused, Reply, Unanswered
from penstock.wire.route import Route

DISPLACED = frozenset({"READONLY", "MASTERDOWN", "CLUSTERDOWN", "NOAUTH"})
"""Errors of a server that is not, or no longer, the right one, or that does not know the user."""

REDIRECTIONS = frozenset({"MOVED", "ASK"})
"""Errors of a node that did nothing and names another node."""

MOVES = 5
"""Redirections to follow in one call; more means that the cluster disagrees about the slot."""

NOT_RUN = REDIRECTIONS | {"NOSCRIPT"}
"""Errors after which `run` runs a script elsewhere, or sends its source."""

ASKING = pack(("ASKING",))


class Link:
    """One connection to the server that holds a key. It connects at first use, and again after a loss.

    Commands queue up; the time limit of each starts when it is sent, and bounds the time without progress: a large
    answer may take longer. A command is only sent again if Redis answered that it did not run it.
    """

    def __init__(
        self,
        route: Route,
        *,
        name: str,
        answered: Callable[[float], object] | None = None,
        sent_whole: Callable[[Script], object] | None = None,
    ) -> None:
        """Create the link without a connection; CLIENT LIST will show `name`.

        `answered` is called with the seconds of each command that does not block; `sent_whole` with each script that
        Redis had lost, so that its source was sent again, and with each that Redis does not keep.
        """
        self._route = route
        self._name = name
        self._answered = answered
        self._sent_whole = sent_whole
        self._patience = route.connector.timeouts.answer.seconds
        self._turn = asyncio.Lock()
        self._started = False
        """Whether a command of `start` is in flight."""
        self._landed: asyncio.Future[None] | None = None
        self._known: set[str] = set()
        """Scripts that a server had: one that it lacks later was lost."""
        self._connection: Connection | None = None
        self._import_connection: Connection | None = None
        self._closed = False
        self.connections = 0
        """How many connections were opened: a change means that contact was interrupted."""
        self.received = 0
        """The bytes of the last answer."""

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now. Any thread may call this."""
        connection = self._connection
        return connection is not None and connection.is_open

    @property
    def client_id(self) -> int | None:
        """Redis's id of the current connection, or None."""
        return self._connection.client_id if self._connection else None

    async def call(self, *command: Argument, wait: float = 0.0, most: int | None = None) -> Reply:
        """Send one command and return its answer. A blocking command may `wait` for this many seconds.

        Raises Oversized if the answer has more than `most` bytes.
        """
        packed = pack(command)
        async with self._turn:
            if self._started:
                await self._until_landed()
            connection = self._connection
            if connection is None or not connection.is_usable:
                connection = await self._connect()
            before, sent = connection.received, time.monotonic()
            answer = await connection.ask(packed, self._patience + wait, gap=self._patience, most=most)
            self.received = connection.received - before
            if self._answered is not None and not wait:
                self._answered(time.monotonic() - sent)
            if isinstance(answer, Refused):
                answer = await self._handle_refusal(answer, packed, self._patience + wait)
        if isinstance(answer, Refused):
            raise answer
        return answer

    async def call_connected(self, command: tuple[Argument, ...], number: int) -> Reply:
        """Send a command over one connection only, named by the value of `connections`; None if it is lost."""
        async with self._turn:
            if self._started:
                await self._until_landed()
            connection = self._connection
            if number != self.connections or connection is None or not connection.is_usable:
                return None
            answer = await connection.ask(pack(command), self._patience)
        if isinstance(answer, Refused):
            raise answer
        return answer

    async def calls(self, commands: Sequence[tuple[Argument, ...]]) -> list[Reply | Refused]:
        """Send commands together and return their answers in order; an error is one of the answers.

        The time limit of one command holds for all of them. Unanswered has the answers that arrived. A MOVED or ASK
        among the answers is a command that was not run, because its node was unreachable.
        """
        packed = [pack(command) for command in commands]
        async with self._turn:
            if self._started:
                await self._until_landed()
            connection = self._connection
            if connection is None or not connection.is_usable:
                connection = await self._connect()
            answers = await connection.ask_all(b"".join(packed), len(packed), self._patience)
            await self._handle_refusals(answers, packed)
        return answers

    async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Argument]) -> Reply:
        """Run a script. If the server does not have it, load it and run it: nothing has run before.

        A server may lose a script that it had: by a restart, a failover, SCRIPT FLUSH, or an eviction.
        """
        rest = (len(keys), *keys, *args)
        by_name = ("EVALSHA", script.sha, *rest)
        try:
            reply = await self.call(*by_name)
        except Refused as refused:
            if refused.code != "NOSCRIPT":
                self._known.add(script.sha)
                raise
        else:
            self._known.add(script.sha)
            return reply
        is_lost = script.sha in self._known
        if is_lost and self._sent_whole is not None:
            self._sent_whole(script)
        self._known.add(script.sha)
        await self.call("SCRIPT", "LOAD", script.text)
        try:
            return await self.call(*by_name)
        except Refused as refused:
            if refused.code != "NOSCRIPT":
                raise
        # The script was evicted in between, or the slot is moving to a node that does not have it.
        if not is_lost and self._sent_whole is not None:
            self._sent_whole(script)
        return await self.call("EVAL", script.text, *rest)

    def start(
        self,
        script: Script,
        keys: Sequence[str | bytes],
        args: Sequence[Argument],
        done: Callable[[Reply | RedisTrouble], None],
    ) -> bool:
        """Run a script without waiting, if the link is connected and idle; otherwise send nothing and return False.

        `done` gets the answer or the error, once. After an error in NOT_RUN, call `run`: the script has not run.
        """
        connection = self._connection
        if script.sha not in self._known or self._turn.locked() or self._started:
            return False
        if connection is None or not connection.is_usable:
            return False
        packed = pack(("EVALSHA", script.sha, len(keys), *keys, *args))
        sent = time.monotonic()

        def landed(answer: Reply | RedisTrouble) -> None:
            self._started = False
            if self._landed is not None and not self._landed.done():
                self._landed.set_result(None)
            if self._answered is not None and not isinstance(answer, Unanswered):
                self._answered(time.monotonic() - sent)
            if isinstance(answer, Refused) and answer.code in DISPLACED:
                self._lose()
                self._route.forget()
            done(answer)

        self._started = True
        connection.start(packed, self._patience, landed)
        return True

    async def _until_landed(self) -> None:
        while self._started:
            self._landed = asyncio.get_running_loop().create_future()
            await self._landed

    async def close(self) -> None:
        """Close for good. A call in flight ends with Unanswered, later ones with Absent."""
        self._closed = True
        self._lose()

    async def _connect(self) -> Connection:
        if self._connection:
            self._lose()
            self._route.forget()
        self._check()
        connection = await self._route.open(self._name)
        try:
            self._check()
        except Absent:
            connection.drop()
            raise
        self._connection = connection
        self.connections += 1
        return connection

    def _check(self) -> None:
        if self._closed:
            raise Absent(f"the link `{self._name}` is closed")

    def _lose(self) -> None:
        lost, self._connection, self._import_connection = (self._connection, self._import_connection), None, None
        for one in lost:
            if one:
                one.drop()

    async def _handle_refusal(self, refused: Refused, packed: bytes, within: float) -> Reply | Refused:
        """Follow a redirection. If another server is needed, disconnect, so that the next command finds it."""
        answer: Reply | Refused = refused
        for _ in range(MOVES):
            if not isinstance(answer, Refused) or answer.code not in REDIRECTIONS:
                break
            address = self._redirected_to(answer)
            if answer.code == "MOVED":
                answer = await (await self._move(address)).ask(packed, within)
            else:
                answer = await self._ask_importing(address, packed, within)
        if isinstance(answer, Refused) and answer.code in DISPLACED:
            self._lose()
            self._route.forget()
        return answer

    async def _move(self, address: Address) -> Connection:
        """Return a connection to the key's new node; an earlier command may have opened it."""
        if self._connection and self._connection.address == address and self._connection.is_usable:
            return self._connection
        self._lose()
        self._route.moved(address)
        return await self._connect()

    async def _handle_refusals(self, answers: list[Reply | Refused], packed: list[bytes]) -> None:
        for position, answer in enumerate(answers):
            if isinstance(answer, Refused):
                try:
                    answers[position] = await self._handle_refusal(answer, packed[position], self._patience)
                except Unanswered as error:
                    raise Unanswered(str(error), answers[:position]) from error
                except (Absent, Refused):
                    return  # the node is unreachable: keep the errors of this command and the later ones

    def _redirected_to(self, refused: Refused) -> Address:
        node = self._connection.address if self._connection else Address("", 0)
        host, _, port = str(refused).split(" ")[2].rpartition(":")
        return announced_address(host, int(port), node)

    async def _ask_importing(self, address: Address, packed: bytes, within: float) -> Reply | Refused:
        """Send a command to the node that imports a slot; until the import ends, other commands go to the old node."""
        importing = self._import_connection
        if importing is None or importing.address != address or not importing.is_usable:
            if importing:
                importing.drop()
            self._import_connection = importing = await self._route.connector.open(address, self._name)
        _, answer = await importing.ask_all(ASKING + packed, 2, within)
        return answer
