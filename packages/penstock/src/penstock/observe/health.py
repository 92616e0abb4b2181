"""The HTTP server of a pod: `/livez`, `/readyz`, `/metrics`, `/internal/health/redis`, and what others add.

It runs in a thread and a loop of its own, so that it answers, and tells the truth, while the watched loop is blocked. A
client can hold neither of them up: a request has five seconds to arrive and eight kilobytes of room, an answer ten
seconds to be made and ten to be taken. At the most `MOST` connections are open; a further one ends the oldest, so that
those who open connections and say nothing cannot keep the kubelet out.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from penstock.observe.events import Event
from penstock.observe.failures import type_name
from penstock.observe.heart import Heart
from penstock.observe.http import END, MOST_HEAD, Answer, BadRequestError, Request, parse
from penstock.observe.logs import Log
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness
from penstock_spec.findings import CannotGoOn

MOST = 64
ARRIVE, MAKE, TAKE, LINGER = 5.0, 10.0, 10.0, 1.0
"""Seconds for a request to arrive, for an answer to be made, to be taken, and for the client to go."""
ASK = 5.0
"""Seconds that Redis has to answer how it is."""

log = Log(logging.getLogger(__name__))

Route = Callable[[Request], Awaitable[Answer]]
"""What answers a path. It runs in the server's thread: it only looks at what may be seen from there."""


@dataclass(frozen=True, slots=True)
class RedisHealth:
    """How Redis is, as seen from this pod."""

    ping: float | None
    """Seconds that a PING took; none when there was no answer."""
    group: bool
    """Whether what the pod works on is there: of a pipeline, its group."""
    error: str = ""
    """Its kind, when something failed."""


AskRedis = Callable[[], Awaitable[RedisHealth]]
"""Has a connection of its own: it runs in the server's loop."""


class HealthServer:
    """Starts, answers until it is stopped."""

    def __init__(self, heart: Heart, limit: float, readiness: Readiness, pages: Pages) -> None:
        """`limit`: seconds without a heartbeat from which on the loop counts as blocked."""
        self._heart = heart
        self._limit = limit
        self._readiness = readiness
        self._pages = pages
        self._routes: dict[str, Route] = {"/livez": self._live, "/readyz": self._ready, "/metrics": self._metrics}
        self._open: dict[asyncio.StreamWriter, None] = {}
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self.port = 0

    def add(self, path: str, route: Route) -> None:
        """One more path; before or after the start."""
        self._routes[path] = route

    def add_redis(self, ask: AskRedis, has: str = "group") -> None:
        """`/internal/health/redis`: 200 while Redis answers and has the group, or what else pods of a kind work on."""

        async def answer(_request: Request) -> Answer:
            try:
                async with asyncio.timeout(ASK):
                    health = await ask()
            except Exception as error:  # noqa: BLE001 - whatever it is, Redis is not well
                health = RedisHealth(None, group=False, error=type_name(error))
            well = health.ping is not None and health.group
            ping = None if health.ping is None else round(health.ping * 1000, 3)
            told = {"ping_ms": ping, has: health.group} | ({"error": health.error} if health.error else {})
            return Answer.json(told, HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE)

        self.add("/internal/health/redis", answer)

    def start(self, host: str, port: int) -> None:
        """Binds at once, so that a port in use is told to whoever starts; port 0 takes a free one, see `port`."""
        listening = _listen(host, port)
        self.port = listening.getsockname()[1]
        started = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(listening, started), name="penstock-health", daemon=True
        )
        self._thread.start()
        started.wait()

    def stop(self) -> None:
        """Whatever is being answered is cut off."""
        if self._loop is not None and self._thread is not None:
            with suppress(RuntimeError):  # the loop is closed: it had stopped already
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def _run(self, listening: socket.socket, started: threading.Event) -> None:
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            self._loop = runner.get_loop()
            try:
                runner.run(self._serve(listening, started))
            finally:
                started.set()

    async def _serve(self, listening: socket.socket, started: threading.Event) -> None:
        server = await asyncio.start_server(self._connected, sock=listening, limit=MOST_HEAD)
        started.set()
        await self._stop.wait()
        server.close()
        for writer in self._open:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= MOST:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.transport.abort()
        self._open[writer] = None
        try:
            await self._converse(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            writer.transport.abort()  # it went away, or took too long: there is nobody to tell
        finally:
            self._open.pop(writer, None)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method = "GET"
        try:
            async with asyncio.timeout(ARRIVE):
                request = parse(await reader.readuntil(END))
            method = request.method
            answer = await self._answer(request)
        except asyncio.LimitOverrunError:
            answer = Answer.text(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the request is too long")
        except BadRequestError as error:
            answer = Answer.text(HTTPStatus.BAD_REQUEST, str(error))
        writer.transport.set_write_buffer_limits(0)  # so that `drain` waits for all of it
        writer.write(answer.encode(method))
        async with asyncio.timeout(TAKE):
            await writer.drain()
        writer.write_eof()
        # What a client still sends has to be read: else its system throws the answer away with the connection.
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while await reader.read(MOST_HEAD):
                    pass

    async def _answer(self, request: Request) -> Answer:
        route = self._routes.get(request.path)
        if route is None:
            return Answer.text(HTTPStatus.NOT_FOUND, "there is nothing here")
        if request.method not in {"GET", "HEAD"}:
            told = Answer.text(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
            return Answer(told.status, told.body, headers={"Allow": "GET, HEAD"})
        try:
            async with asyncio.timeout(MAKE):
                return await route(request)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client is told no more than that
            log.event(Event.HTTP_REQUEST_FAILED, error, path=request.path)
            return Answer.text(HTTPStatus.INTERNAL_SERVER_ERROR, "this could not be answered; the log says why")

    async def _live(self, _request: Request) -> Answer:
        blocked = self._blocked()
        return Answer.text(HTTPStatus.SERVICE_UNAVAILABLE, blocked) if blocked else Answer.text(HTTPStatus.OK, "alive")

    async def _ready(self, _request: Request) -> Answer:
        against = [*self._readiness.against, *filter(None, [self._blocked()])]
        if against:
            return Answer.text(HTTPStatus.SERVICE_UNAVAILABLE, f"not ready: {', '.join(against)}")
        return Answer.text(HTTPStatus.OK, "ready")

    async def _metrics(self, request: Request) -> Answer:
        asked = request.headers
        page = self._pages.page(asked.get("accept", ""), asked.get("accept-encoding", ""))
        encoding = {"Content-Encoding": "gzip"} if page.compressed else {}
        return Answer(HTTPStatus.OK, page.body, page.content_type, {"Vary": "Accept, Accept-Encoding", **encoding})

    def _blocked(self) -> str:
        age = self._heart.age()
        return f"the loop has been blocked for {age:.1f} s (limit {self._limit:g} s)" if age > self._limit else ""


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=MOST)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotGoOn(
                f"port {port} of {host} is in use", "choose another with `--listen HOST:PORT`, or `--listen off`"
            ) from None
        raise CannotGoOn(
            f"cannot listen on {host}:{port}: {error.strerror or error}", "choose another address"
        ) from None
