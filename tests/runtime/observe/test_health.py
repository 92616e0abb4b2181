"""Probes and scrapes are answered correctly and in time, whatever the event loop and other clients do."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus

import pytest
from health_servers import HealthEndpoints, read_all
from logged import logged
from patience import PATIENCE
from servers import wait_for

from penstock.observe import health
from penstock.observe.events import Event
from penstock.observe.health import HealthServer, RedisHealth
from penstock.observe.heartbeat import EVERY, WINDOW, Heartbeat
from penstock.observe.http import MOST_HEAD, Answer, Request
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import NotReady, Readiness
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.metrics import working

Serve = Callable[..., HealthEndpoints]
Eventually = Callable[[Callable[[], object], str], None]
GET = b"GET /livez HTTP/1.1\r\nHost: x\r\n"


class LoopInThread:
    """An event loop in a thread, with a heartbeat; a test can block it."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self.heartbeat = heartbeat
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.loop.call_soon_threadsafe(heartbeat.beat_in, self.loop)

    def block(self) -> threading.Event:
        """Block the loop until the event is set."""
        unblock = threading.Event()
        self.loop.call_soon_threadsafe(unblock.wait)
        return unblock

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.heartbeat.stop)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@pytest.fixture
def loop_in_thread() -> Iterator[Callable[[Heartbeat], LoopInThread]]:
    loops: list[LoopInThread] = []

    def start(heartbeat: Heartbeat) -> LoopInThread:
        loops.append(LoopInThread(heartbeat))
        return loops[-1]

    yield start
    for one in loops:
        one.stop()


def test_a_blocked_loop_is_reported_while_it_is_blocked(
    serve: Serve, loop_in_thread: Callable[[Heartbeat], LoopInThread], eventually: Eventually
) -> None:
    """`/livez` reports the duration from another thread, and is well again after the block."""
    served = serve(limit=3 * EVERY)
    served.readiness.release(NotReady.STARTING)
    loop = loop_in_thread(served.heartbeat)
    eventually(lambda: served.ask("/livez").body == b"alive\n", "`/livez` reports the loop alive")

    unblock = loop.block()
    try:
        eventually(
            lambda: served.ask("/livez").status == HTTPStatus.SERVICE_UNAVAILABLE, "`/livez` reports the blocked loop"
        )
        text = served.ask("/livez").body.decode()
        assert text.startswith("the loop has been blocked for ")
        assert text.endswith(" s (limit 0.75 s)\n")
        assert served.ask("/readyz").body.startswith(b"not ready: the loop has been blocked for ")
    finally:
        unblock.set()
    eventually(lambda: served.ask("/livez").body == b"alive\n", "`/livez` reports the loop alive again")
    eventually(lambda: served.ask("/readyz").body == b"ready\n", "`/readyz` reports ready again")
    assert served.heartbeat.lag() > 2 * EVERY


def test_the_lag_is_the_worst_of_the_recent_windows() -> None:
    """And includes the current delay."""
    now = [100.0]
    heartbeat = Heartbeat(clock=lambda: now[0])

    def lag_after(seconds: float) -> float:
        now[0] += seconds
        heartbeat.beat()
        return heartbeat.lag()

    assert heartbeat.lag() == 0
    assert lag_after(EVERY) == 0
    assert lag_after(EVERY + 2) == 2
    assert lag_after(EVERY + 1) == 2
    assert lag_after(WINDOW) == WINDOW - EVERY
    assert [lag_after(EVERY) for _ in range(int(2 * WINDOW / EVERY) + 1)][-1] == 0
    now[0] += 5
    assert heartbeat.age() == 5
    assert heartbeat.lag() == 5 - EVERY


def test_readyz_names_every_reason(served: HealthEndpoints) -> None:
    """Without a reason the pod is ready."""
    assert served.ask("/readyz").body == b"not ready: starting\n"
    served.readiness.hold(NotReady.DRAINING)
    served.readiness.hold(NotReady.REDIS_ABSENT)
    served.readiness.release(NotReady.STARTING)
    response = served.ask("/readyz")
    assert response.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert response.body == b"not ready: Redis is unreachable, draining\n"
    served.readiness.release(NotReady.DRAINING)
    served.readiness.release(NotReady.REDIS_ABSENT)
    served.readiness.release(NotReady.REDIS_ABSENT)
    assert (served.ask("/readyz").status, served.ask("/readyz").body) == (HTTPStatus.OK, b"ready\n")
    assert served.ask("/livez").status == HTTPStatus.OK


def test_metrics_have_the_format_that_the_client_accepts(served: HealthEndpoints) -> None:
    """Compressed if the client accepts it; each scrape reads current values."""
    metrics = Metrics.of("worker", pipeline="x", collector=served.collector)
    metrics.counter(working.DONE).add(2)
    plain = served.ask("/metrics")
    metrics.counter(working.DONE).add()
    compressed = served.ask(
        "/metrics?name=x", Accept="application/openmetrics-text; version=1.0.0", **{"Accept-Encoding": "gzip"}
    )
    assert plain.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert b'penstock_done_total{pipeline="x"} 2.0\n' in plain.body
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert compressed.headers["Content-Type"].startswith("application/openmetrics-text")
    text = gzip.decompress(compressed.body)
    assert b'penstock_done_total{pipeline="x"} 3.0\n' in text
    assert text.endswith(b"# EOF\n")


async def _hangs() -> RedisHealth:
    await asyncio.sleep(PATIENCE * 10)
    raise AssertionError


async def _fails() -> RedisHealth:
    raise ConnectionResetError("password=hunter2")


async def _well() -> RedisHealth:
    return RedisHealth(0.0004211, group=True)


async def _without_group() -> RedisHealth:
    return RedisHealth(0.001, group=False)


async def _absent() -> RedisHealth:
    return RedisHealth(None, group=False, error="Absent")


@pytest.mark.parametrize(
    ("ask", "status", "body"),
    [
        (_well, HTTPStatus.OK, {"ping_ms": 0.421, "group": True}),
        (_without_group, HTTPStatus.SERVICE_UNAVAILABLE, {"ping_ms": 1.0, "group": False}),
        (_absent, HTTPStatus.SERVICE_UNAVAILABLE, {"ping_ms": None, "group": False, "error": "Absent"}),
        (_fails, HTTPStatus.SERVICE_UNAVAILABLE, {"ping_ms": None, "group": False, "error": "ConnectionResetError"}),
        (_hangs, HTTPStatus.SERVICE_UNAVAILABLE, {"ping_ms": None, "group": False, "error": "TimeoutError"}),
    ],
)
def test_redis_health_is_reported(
    served: HealthEndpoints,
    monkeypatch: pytest.MonkeyPatch,
    ask: health.AskRedis,
    status: HTTPStatus,
    body: dict[str, object],
) -> None:
    """The duration of a PING and the group's existence; errors by type; a hanging Redis is unhealthy."""
    monkeypatch.setattr(health, "ASK", 0.2)
    served.server.add_redis(ask)
    response = served.ask("/internal/health/redis")
    assert (response.status, json.loads(response.body)) == (status, body)
    assert response.headers["Content-Type"] == "application/json"


def test_a_storm_of_requests_is_one_check_of_redis(served: HealthEndpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests share the check in progress, and its result for a while: each check opens a connection."""
    monkeypatch.setattr(health, "FRESH", 1e6)
    checks: list[threading.Event] = []

    async def ask() -> RedisHealth:
        checks.append(release := threading.Event())
        await asyncio.to_thread(release.wait)
        return RedisHealth(0.001, group=True)

    served.server.add_redis(ask)
    with ThreadPoolExecutor(20) as pool:
        answers = [pool.submit(served.ask, "/internal/health/redis") for _ in range(20)]
        wait_for(lambda: len(served.server._open) == len(answers), "all requests have arrived")  # noqa: SLF001 - no other sign
        checks[0].set()
        assert {answer.result().status for answer in answers} == {HTTPStatus.OK}
    assert served.ask("/internal/health/redis").status == HTTPStatus.OK
    assert len(checks) == 1
    monkeypatch.setattr(health, "FRESH", 0.0)
    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(served.ask, "/internal/health/redis")
        wait_for(lambda: len(checks) == 2, "an old result is not used")
        checks[1].set()
        assert later.result().status == HTTPStatus.OK


def test_a_client_that_disconnects_does_not_end_the_check_of_others(
    served: HealthEndpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that takes too long fails alone."""
    release = threading.Event()

    async def ask() -> RedisHealth:
        await asyncio.to_thread(release.wait)
        return RedisHealth(0.001, group=True)

    served.server.add_redis(ask)
    monkeypatch.setattr(health, "MAKE", 0.05)
    assert served.ask("/internal/health/redis").status == HTTPStatus.INTERNAL_SERVER_ERROR
    monkeypatch.setattr(health, "MAKE", 10.0)
    release.set()
    assert served.ask("/internal/health/redis").status == HTTPStatus.OK


def test_paths_can_be_added_while_it_runs(served: HealthEndpoints) -> None:
    """Such as the age of the oldest message, for KEDA; the full path must match."""

    async def oldest(request: Request) -> Answer:
        return Answer.json({"seconds": 12.5, "path": request.path})

    assert served.ask("/pipelines/jobs/oldest").status == HTTPStatus.NOT_FOUND
    served.server.add("/pipelines/jobs/oldest", oldest)
    assert json.loads(served.ask("/pipelines/jobs/oldest").body) == {"seconds": 12.5, "path": "/pipelines/jobs/oldest"}
    assert served.ask("/pipelines/jobs/oldest/").status == HTTPStatus.NOT_FOUND


def test_a_failing_path_is_a_plain_500(served: HealthEndpoints, caplog: pytest.LogCaptureFixture) -> None:
    """The client sees no error text, the log has its type and place, and the server goes on."""

    async def broken(_request: Request) -> Answer:
        raise ValueError("secret")

    served.server.add("/broken", broken)
    response = served.ask("/broken")
    assert (response.status, response.body) == (500, b"internal error; see the log\n")
    [line] = logged(caplog)
    assert (line["event"], line["path"], line["error"]) == (Event.HTTP_REQUEST_FAILED, "/broken", "ValueError")
    assert "secret" not in str(line)
    assert served.ask("/livez").status == HTTPStatus.OK


def test_head_is_get_without_a_body(served: HealthEndpoints) -> None:
    """With the length of the omitted body."""
    got, headed = served.ask("/livez"), served.ask("/livez", "HEAD")
    assert (headed.status, headed.body) == (got.status, b"")
    assert headed.headers["Content-Length"] == got.headers["Content-Length"] == str(len(got.body))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "BREW"])
def test_other_methods_are_not_allowed(served: HealthEndpoints, method: str) -> None:
    """405 with the allowed methods; for an unknown path 404 comes first."""
    response = served.ask("/livez", method)
    assert (response.status, response.headers["Allow"]) == (HTTPStatus.METHOD_NOT_ALLOWED, "GET, HEAD")
    assert served.ask("/nothing", method).status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /livez\r\n\r\n",
        b"GET /livez HTTP/2.0\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\n",
        b"GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://x/livez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /liv\x00ez HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /livez HTTP/1.1\r\n\r\n",
        GET + b"Host: y\r\n\r\n",
        GET + b"no colon\r\n\r\n",
        GET + b": nameless\r\n\r\n",
        GET + b" folded: x\r\n\r\n",
        GET + b"Space : x\r\n\r\n",
        GET + b"X: a\nb\r\n\r\n",
        GET + b"X: \x01\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_invalid_requests_are_refused(served: HealthEndpoints, request_bytes: bytes) -> None:
    """With status 400."""
    assert served.send_raw(request_bytes).startswith(b"HTTP/1.1 400 Bad Request\r\n")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /livez HTTP/1.0\r\n\r\n",
        GET + b"\r\n",
        GET + b"Accept: */*\r\nAccept: text/plain\r\nX-Long: " + b"x" * 7000 + b"\r\n\r\n",
        b"GET /livez?verbose=1&x=%20 HTTP/1.1\r\nhOST: x:80\r\nX:\ta \xe9\t\r\n\r\n",
        GET + b"Content-Length: 5\r\n\r\nhello",
    ],
)
def test_valid_requests_are_answered(served: HealthEndpoints, request_bytes: bytes) -> None:
    """Then the server closes the connection."""
    response = served.send_raw(request_bytes)
    assert response.startswith(b"HTTP/1.1 200 OK\r\n")
    assert response.endswith(b"\r\n\r\nalive\n")
    assert b"\r\nConnection: close\r\n" in response


@pytest.mark.parametrize("size", [MOST_HEAD, 1_000_000])
def test_a_too_large_request_is_refused(served: HealthEndpoints, size: int) -> None:
    """The response arrives although the client sends on."""
    response = served.send_raw(GET + b"X: " + b"x" * size + b"\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


def test_idle_connections_block_no_client(served: HealthEndpoints) -> None:
    """However many there are; the server closes the oldest of them."""
    silent = [served.connect() for _ in range(health.MOST + 20)]
    for one in silent[::2]:
        one.sendall(b"GET /li")
    assert [served.ask("/livez").status for _ in range(5)] == [HTTPStatus.OK] * 5
    assert _ended(silent[0])
    for one in silent:
        one.close()


def test_a_slow_request_is_cut_off(served: HealthEndpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then does not keep the connection open."""
    monkeypatch.setattr(health, "ARRIVE", 0.3)
    with served.connect() as slow:
        gone = threading.Event()

        def drip() -> None:
            try:
                for _ in range(1000):
                    slow.sendall(b"G")
                    if gone.wait(0.02):
                        return
            except OSError:
                return

        dripping = threading.Thread(target=drip)
        dripping.start()
        ended = _ended(slow)
        gone.set()
        dripping.join()
    assert ended


def test_a_client_that_reads_too_slowly_is_cut_off(served: HealthEndpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "TAKE", 0.3)

    async def large(_request: Request) -> Answer:
        return Answer(body=b"x" * 50_000_000)

    served.server.add("/much", large)
    received = 0
    with served.connect() as slow, suppress(ConnectionError):
        slow.sendall(b"GET /much HTTP/1.1\r\nHost: x\r\n\r\n")
        while part := slow.recv(65536):
            received += len(part)
            time.sleep(0.01)  # reads slowly
    assert 0 < received < 50_000_000


def test_a_port_in_use_is_named(served: HealthEndpoints) -> None:
    """Before any work starts."""
    other = HealthServer(Heartbeat(), 1, Readiness(), served.server._pages)  # noqa: SLF001 - any page will do
    with pytest.raises(CannotGoOn) as raised:
        other.start("127.0.0.1", served.server.port)
    assert raised.value.says == f"port {served.server.port} of 127.0.0.1 is in use"
    assert raised.value.hint == "choose another with `--listen HOST:PORT`, or `--listen off`"
    assert raised.value.hint
    with pytest.raises(CannotGoOn, match=r"cannot listen on 192\.0\.2\.1:0: "):
        other.start("192.0.2.1", 0)
    other.stop()


def test_it_stops_during_requests(serve: Serve) -> None:
    """No thread and no port stay; a second stop is no error."""
    served = serve()
    with served.connect() as one:
        one.sendall(b"GET /li")
        served.ask("/livez")
        served.server.stop()
        served.server.stop()
        assert _ended(one)
    assert "penstock-health" not in {thread.name for thread in threading.enumerate()}
    with socket.create_server(("127.0.0.1", served.server.port)):
        pass


def _ended(connection: socket.socket) -> bool:
    try:
        return read_all(connection) == b""
    except ConnectionError:
        return True
