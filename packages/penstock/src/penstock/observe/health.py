"""The HTTP server of a pod: `/livez`, `/readyz`, `/metrics`, `/internal/health/redis`, and added routes.

It runs in its own thread and event loop, so it answers while the pod's loop is blocked. Clients cannot block it: a
request has five seconds to arrive and may have eight kilobytes; an answer has ten seconds to be computed and ten to be
received. At most `MOST` connections are open. Another one closes the oldest, so that idle connections cannot lock the
kubelet out.
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
from penstock.observe.heartbeat import Heartbeat
from penstock.observe.http import END, MOST_HEAD, Answer, BadRequestError, Request, parse
from penstock.observe.logs import Log
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness
from penstock_spec.findings import CannotGoOn

MOST = 64
ARRIVE, MAKE, TAKE, LINGER = 5.0, 10.0, 10.0, 1.0
"""Seconds for a request to arrive, an answer to be computed, to be received, and the client to disconnect."""
ASK = 5.0
"""Seconds for the Redis check."""
FRESH = 1.0
"""Seconds for which requests share the result of one check."""

log = Log(logging.getLogger(__name__))

Route = Callable[[Request], Awaitable[Answer]]
"""Answers a path. It runs in the server's thread, and reads only what is safe to read there."""


@dataclass(frozen=True, slots=True)
class RedisHealth:
    """The state of Redis as this pod sees it."""

    ping: float | None
    """Seconds that a PING took; None without an answer."""
    group: bool
    """Whether the pipeline's group, or what else the pod needs, exists."""
    error: str = ""
    """The kind of the failure, if any."""


AskRedis = Callable[[], Awaitable[RedisHealth]]
"""Uses its own connection, because it runs in the server's loop."""


class HealthServer:
    """Serves HTTP until it is stopped."""

    def __init__(self, heartbeat: Heartbeat, limit: float, readiness: Readiness, pages: Pages) -> None:
        """After `limit` seconds without a heartbeat, the loop counts as blocked."""
        self._heartbeat = heartbeat
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
        """Add a path, before or after `start`."""
        self._routes[path] = route

    def add_redis(self, ask: AskRedis, has: str = "group") -> None:
        """Add `/internal/health/redis`: 200 if Redis answers and the group, or whatever `has` names, exists."""
        shared = _SharedCheck(ask)

        async def answer(_request: Request) -> Answer:
            health = await shared.ask()
            healthy = health.ping is not None and health.group
            ping = None if health.ping is None else round(health.ping * 1000, 3)
            fields = {"ping_ms": ping, has: health.group} | ({"error": health.error} if health.error else {})
            return Answer.json(fields, HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE)

        self.add("/internal/health/redis", answer)

    def start(self, host: str, port: int) -> None:
        """Bind, then serve in a thread. Raises CannotGoOn if the port is in use. Port 0 takes a free one."""
        listening = _listen(host, port)
        self.port = listening.getsockname()[1]
        started = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(listening, started), name="penstock-health", daemon=True
        )
        self._thread.start()
        started.wait()

    def stop(self) -> None:
        """Stop, and close open connections."""
        if self._loop is not None and self._thread is not None:
            with suppress(RuntimeError):  # the loop is closed: the server has already stopped
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
            writer.transport.abort()  # the client disconnected or was too slow
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
        writer.transport.set_write_buffer_limits(0)  # so `drain` waits until everything is sent
        writer.write(answer.encode(method))
        async with asyncio.timeout(TAKE):
            await writer.drain()
        writer.write_eof()
        # Read what the client still sends, or its system discards the answer when the connection is reset.
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while await reader.read(MOST_HEAD):
                    pass

    async def _answer(self, request: Request) -> Answer:
        route = self._routes.get(request.path)
        if route is None:
            return Answer.text(HTTPStatus.NOT_FOUND, "not found")
        if request.method not in {"GET", "HEAD"}:
            refusal = Answer.text(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD")
            return Answer(refusal.status, refusal.body, headers={"Allow": "GET, HEAD"})
        try:
            async with asyncio.timeout(MAKE):
                return await route(request)
        except Exception as error:  # noqa: BLE001 - the client gets no details of any failure
            log.event(Event.HTTP_REQUEST_FAILED, error, path=request.path)
            return Answer.text(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error; see the log")

    async def _live(self, _request: Request) -> Answer:
        blocked = self._blocked()
        return Answer.text(HTTPStatus.SERVICE_UNAVAILABLE, blocked) if blocked else Answer.text(HTTPStatus.OK, "alive")

    async def _ready(self, _request: Request) -> Answer:
        reasons = [*self._readiness.reasons, *filter(None, [self._blocked()])]
        if reasons:
            return Answer.text(HTTPStatus.SERVICE_UNAVAILABLE, f"not ready: {', '.join(reasons)}")
        return Answer.text(HTTPStatus.OK, "ready")

    async def _metrics(self, request: Request) -> Answer:
        headers = request.headers
        page = self._pages.page(headers.get("accept", ""), headers.get("accept-encoding", ""))
        encoding = {"Content-Encoding": "gzip"} if page.compressed else {}
        return Answer(HTTPStatus.OK, page.body, page.content_type, {"Vary": "Accept, Accept-Encoding", **encoding})

    def _blocked(self) -> str:
        age = self._heartbeat.age()
        return f"the loop has been blocked for {age:.1f} s (limit {self._limit:g} s)" if age > self._limit else ""


class _SharedCheck:
    """Checks Redis at most once at a time and once in `FRESH` seconds, however many requests there are.

    Every check opens a connection; the path needs no password, so requests must not multiply connections.
    """

    def __init__(self, ask: AskRedis) -> None:
        self._ask = ask
        self._check: asyncio.Task[RedisHealth] | None = None
        self._ended = 0.0

    async def ask(self) -> RedisHealth:
        """The result of the check in progress, of one that ended lately, or of a new one."""
        loop = asyncio.get_running_loop()
        if self._check is None or (self._check.done() and loop.time() - self._ended >= FRESH):
            self._check = loop.create_task(self._run())
        return await asyncio.shield(self._check)  # a client that disconnects does not end the check of the others

    async def _run(self) -> RedisHealth:
        try:
            async with asyncio.timeout(ASK):
                return await self._ask()
        except Exception as error:  # noqa: BLE001 - any failure means that Redis is not healthy
            return RedisHealth(None, group=False, error=type_name(error))
        finally:
            self._ended = asyncio.get_running_loop().time()


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
