"""While Redis fails, a send never duplicates a message and never reports a message as not sent that may be there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from event_loop import run_async, until
from faulty_connection import Cable
from sending import DEDUP, STREAM, entries, jobs, keys_of, number, pipeline
from servers import Server
from targets import Target

from penstock.observe.collector import Collector
from penstock.observe.metrics import Metrics
from penstock.observe.values import Gauge
from penstock.producer import (
    BacklogFull,
    BreakerOpen,
    Duplicate,
    Failed,
    Producer,
    RedisAbsent,
    RedisRefused,
    Sent,
    TimedOut,
    Unknown,
)
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.metrics import sending
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration

pytestmark = pytest.mark.wire

PATIENT: dict[str, Any] = {"attempts": 100, "backoff": {"first": "20ms", "factor": 1}}


@pytest.fixture
def cable(server: Server) -> Iterator[Cable]:
    with Cable(server.port) as cable:
        yield cable


def hasty(where: Cable | Server, spec: Pipeline, *, answer: str = "2s", metrics: Metrics | None = None) -> Producer:
    """Return a producer with a short timeout for replies."""
    redis = Redis(addresses=[where.address], timeouts=Timeouts(answer=Duration(answer)))
    return Producer(spec, redis, credentials=Credentials(), metrics=metrics)


def has_grown(server: Server, before: int) -> bool:
    return number(server, "XLEN", STREAM) > before


def own_ids(server: Server) -> list[str]:
    return [entry.fields["penstock-id"] for entry in entries(server)]


def unread(server: Server) -> list[int]:
    """Return the unread bytes of each connection of a paused server, without zeros."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    waiting = [int(line[4].partition(":")[2], 16) for line in lines if line[1].endswith(f":{server.port:04X}")]
    return [count for count in waiting if count]


def value_of(gauge: Gauge) -> float:
    (sample,) = gauge.samples()
    return sample.value


def new_metrics() -> Metrics:
    return Metrics.of_spec("producer", pipeline(), Collector())


# No reply


def test_a_lost_reply_makes_the_outcome_unknown(server: Server, cable: Cable) -> None:
    """Without a deduplication key there is no retry; the error names the message, which is in the stream once."""

    async def scenario() -> None:
        async with hasty(cable, pipeline(send=PATIENT)) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            with pytest.raises(Unknown) as unknown:
                await producer.send({"job": "second"})
            cable.mend()
            third = await producer.send({"job": "third"})
        assert own_ids(server)[1:] == [unknown.value.id, third.id]
        assert unknown.value.id in str(unknown.value)

    run_async(scenario())


def test_a_send_with_a_key_survives_a_lost_reply(server: Server, cable: Cable) -> None:
    """The retry finds the first attempt, so the message counts as sent, once."""

    async def scenario() -> None:
        metrics = new_metrics()
        spec = pipeline(message={"dedup": DEDUP}, send=PATIENT)
        async with hasty(cable, spec, metrics=metrics) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            send_task = asyncio.create_task(producer.send({"job": "second"}))
            await until(cable.lost.is_set, "the reply is lost")
            cable.mend()
            sent = await send_task
            assert isinstance(sent, Sent)
            assert sent.entry is None, "the reply with the entry id was lost"
            assert await producer.send({"job": "second"}) == Duplicate(sent.id, "second")
        assert own_ids(server)[1:] == [sent.id]
        assert metrics.counter(sending.SENT, "new").value == 2
        assert metrics.counter(sending.SENT, "duplicate").value == 1
        assert metrics.counter(sending.SEND_RETRIES).value >= 1

    run_async(scenario())


def test_a_send_with_a_key_and_no_reply_is_unknown(server: Server, cable: Cable) -> None:
    """However the retries fail, the first attempt may have reached the stream, and here it did."""

    async def scenario() -> None:
        async with hasty(cable, pipeline(message={"dedup": DEDUP})) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            with pytest.raises(Unknown) as unknown:
                await producer.send({"job": "second"})
        assert own_ids(server)[1:] == [unknown.value.id]

    run_async(scenario())


def test_a_send_is_not_retried_beyond_the_window(server: Server, cable: Cable) -> None:
    """Redis may have forgotten the key by then."""

    async def scenario() -> None:
        metrics = new_metrics()
        spec = pipeline(message={"dedup": {"by": "job", "window": "500ms"}}, send=PATIENT)
        async with hasty(cable, spec, metrics=metrics) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            with pytest.raises(Unknown):
                await producer.send({"job": "second"})
        assert number(server, "XLEN", STREAM) == 2
        assert metrics.counter(sending.SEND_RETRIES).value == 0

    run_async(scenario())


@pytest.mark.parametrize("message", [{}, {"dedup": DEDUP}])
def test_a_paused_server_gets_a_message_at_most_once(server: Server, message: dict[str, Any]) -> None:
    """The server runs the command after it resumes; the outcome is unknown without a key, and sent with one."""

    async def scenario() -> None:
        async with hasty(server, pipeline(message=message, send=PATIENT)) as producer:
            await producer.send({"job": "first"})
            server.pause()
            send_task = asyncio.create_task(producer.send({"job": "second"}))
            if message:
                await until(lambda: len(unread(server)) >= 2, "the producer has connected again")
                server.resume()
                sent = await send_task
                assert isinstance(sent, Sent)
                id_ = sent.id
            else:
                with pytest.raises(Unknown) as unknown:
                    await send_task
                server.resume()
                id_ = unknown.value.id
            await until(lambda: number(server, "XLEN", STREAM) == 2, "the server has run the command")
            await producer.send({"job": "third"})
        assert own_ids(server)[1] == id_
        assert number(server, "XLEN", STREAM) == 3

    run_async(scenario())


@pytest.mark.parametrize("message", [{}, {"dedup": DEDUP}])
def test_send_many_survives_a_breaking_connection(server: Server, cable: Cable, message: dict[str, Any]) -> None:
    """Each sent message is in the stream once, and each in the stream is reported as sent or unknown."""

    async def scenario() -> None:
        async with hasty(cable, pipeline(message=message, send=PATIENT)) as producer:
            send_task = asyncio.create_task(producer.send_many(jobs(5000)))
            for _ in range(5):
                await until(partial(has_grown, server, number(server, "XLEN", STREAM)), "the sends continue")
                cable.lose_answers()
                await until(lambda: cable.lost.is_set() or send_task.done(), "a reply is lost")
                cable.mend()
            outcomes = await send_task
        in_stream = Counter(own_ids(server))
        assert set(in_stream.values()) == {1}
        kinds = Counter(type(outcome) for outcome in outcomes)
        sent = {outcome.id for outcome in outcomes if isinstance(outcome, Sent)}
        unknown = {outcome.id for outcome in outcomes if isinstance(outcome, Unknown)}
        assert sent <= set(in_stream) <= sent | unknown
        assert kinds[Sent] + kinds[Unknown] == 5000, kinds
        if message:
            assert kinds[Sent] == 5000
        else:
            assert unknown

    run_async(scenario())


# Redis refuses


def test_a_redis_without_memory_stores_nothing(server: Server) -> None:
    """Not even the deduplication key is stored; with memory again, the send works."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, send={"attempts": 2})
        async with hasty(server, spec) as producer:
            server.ask("CONFIG", "SET", "maxmemory", 1)
            for delay in (None, 60):
                with pytest.raises(RedisRefused, match="OOM") as refused:
                    await producer.send({"job": "a"}, delay=delay)
                assert refused.value.code == "OOM"
            assert server.ask("KEYS", "*") == []
            server.ask("CONFIG", "SET", "maxmemory", 0)
            assert isinstance(await producer.send({"job": "a"}), Sent)

    run_async(scenario())


@pytest.mark.parametrize(
    ("break_redis", "repair_redis"),
    [
        (("CONFIG", "SET", "maxmemory", 1), ("CONFIG", "SET", "maxmemory", 0)),
        (("CONFIG", "SET", "min-replicas-to-write", 1), ("CONFIG", "SET", "min-replicas-to-write", 0)),
        (("REPLICAOF", "127.0.0.1", 1), ("REPLICAOF", "NO", "ONE")),
    ],
)
def test_temporary_refusals_are_retried(
    server: Server, break_redis: tuple[str | int, ...], repair_redis: tuple[str | int, ...]
) -> None:
    """Without memory, replicas or a master, the send is retried until all messages are sent once, in order."""

    async def scenario() -> None:
        metrics = new_metrics()
        async with hasty(server, pipeline(send=PATIENT), metrics=metrics) as producer:
            await producer.send({"job": "first"})
            server.ask(*break_redis)
            send_task = asyncio.create_task(producer.send_many(jobs(300)))
            await until(lambda: metrics.counter(sending.SEND_RETRIES).value >= 2, "the producer retries")
            assert not send_task.done()
            server.ask(*repair_redis)
            outcomes = await send_task
        sent = [outcome.id for outcome in outcomes if isinstance(outcome, Sent)]
        assert len(sent) == 300
        assert own_ids(server)[1:] == sent

    run_async(scenario())


def test_a_demoted_master_is_looked_up_again(server: Server) -> None:
    """The next attempt looks for the master over a new connection, because it may have moved."""

    async def scenario() -> None:
        metrics = new_metrics()
        async with hasty(server, pipeline(send=PATIENT), metrics=metrics) as producer:
            await producer.send({"job": "first"})
            before = connections(server)
            server.ask("REPLICAOF", "127.0.0.1", 1)
            send_task = asyncio.create_task(producer.send({"job": "second"}))
            await until(lambda: connections(server) >= before + 2, "the producer looks again")
            server.ask("REPLICAOF", "NO", "ONE")
            assert isinstance(await send_task, Sent)

    run_async(scenario())


def connections(server: Server) -> int:
    """Return how many connections the server has accepted since it started."""
    return int(str(server.ask("INFO", "stats")).partition("total_connections_received:")[2].split()[0])


@pytest.mark.parametrize(("denied", "delay"), [("-xadd", None), ("-hset", 60), ("-zadd", 60), ("-mget", None)])
def test_a_missing_permission_is_not_retried(server: Server, denied: str, delay: int | None) -> None:
    """The send fails at once, and no part of the message is stored."""

    async def scenario() -> None:
        server.ask("ACL", "SETUSER", "sender", "on", "nopass", "~*", "&*", "+@all", denied)
        metrics = new_metrics()
        producer = Producer(
            pipeline(message={"dedup": DEDUP}, send=PATIENT),
            server.model(),
            credentials=Credentials(username="sender", password="x"),  # noqa: S106 - of a server that ends with the test
            metrics=metrics,
        )
        async with producer:
            with pytest.raises(RedisRefused) as refused:
                await producer.send({"job": "a"}, delay=delay)
            assert refused.value.code == "NOPERM"
        assert metrics.counter(sending.SEND_RETRIES).value == 0
        assert server.ask("KEYS", "*") == []

    run_async(scenario())


def test_a_wrong_password_is_not_retried(server: Server) -> None:
    """It would be wrong the next time, too."""

    async def scenario() -> None:
        metrics = new_metrics()
        credentials = Credentials(username="nobody", password="wrong")  # noqa: S106 - as above
        async with Producer(
            pipeline(send=PATIENT), server.model(), credentials=credentials, metrics=metrics
        ) as producer:
            with pytest.raises(RedisRefused) as refused:
                await producer.send({"job": "a"})
            assert refused.value.code == "WRONGPASS"
        assert metrics.counter(sending.SEND_RETRIES).value == 0

    run_async(scenario())


@pytest.mark.parametrize("key", ["stream", "delayed", "bodies"])
def test_a_key_of_the_wrong_type_fails_at_once(server: Server, key: str) -> None:
    """No part of the message is stored."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, send=PATIENT)
        keys = keys_of(spec)
        where = str(getattr(keys, key))
        server.ask("SET", where, "no stream")
        async with hasty(server, spec) as producer:
            with pytest.raises(RedisRefused) as refused:
                await producer.send({"job": "a"}, delay=None if key == "stream" else 60)
            assert refused.value.code == "WRONGTYPE"
        assert server.ask("KEYS", "*") == [where]

    run_async(scenario())


# Redis is absent


def test_an_absent_redis_uses_up_all_attempts(server: Server) -> None:
    """The outcome is `RedisAbsent`: the message was not sent."""

    async def scenario() -> None:
        metrics = new_metrics()
        server.kill()
        async with hasty(server, pipeline(), metrics=metrics) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"job": "a"})
            assert metrics.counter(sending.SEND_RETRIES).value == 2
            assert metrics.counter(sending.SENT, "absent").value == 1

    run_async(scenario())


def test_a_send_succeeds_when_redis_returns(server: Server) -> None:
    """The retries hide the outage from the sender."""

    async def scenario() -> None:
        metrics = new_metrics()
        # With a key: the first attempt may still find the connection that is about to break.
        async with hasty(server, pipeline(message={"dedup": DEDUP}, send=PATIENT), metrics=metrics) as producer:
            await producer.send({"job": "first"})
            server.kill()
            send_task = asyncio.create_task(producer.send({"job": "second"}))
            await until(lambda: metrics.counter(sending.SEND_RETRIES).value >= 2, "the producer retries")
            server.start()
            assert isinstance(await send_task, Sent)
        assert number(server, "XLEN", STREAM) == 2

    run_async(scenario())


def test_sends_follow_a_failover(target: Target) -> None:
    """Where there is another master, the next send reaches it."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, send={"attempts": 100, "backoff": {"first": "200ms", "factor": 1}})
        async with Producer(spec, target.redis, credentials=target.credentials) as producer:
            await producer.send({"job": "before"})
            if target.can_fail_over:
                await asyncio.to_thread(target.failover)
            assert isinstance(await producer.send({"job": "after"}), Sent)
        assert [entry.fields["penstock-key"] for entry in entries(target)] == ["before", "after"]

    run_async(scenario())


# Timeouts


def test_retries_end_at_the_timeout(server: Server) -> None:
    """The send fails with the last error."""

    async def scenario() -> None:
        server.kill()
        async with hasty(server, pipeline(send=PATIENT)) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"job": "a"}, timeout=0.2)

    run_async(scenario())


def test_a_send_that_gave_up_delays_no_other(server: Server) -> None:
    """The next send does not wait for its backoff."""

    async def scenario() -> None:
        server.kill()
        spec = pipeline(send={"attempts": 3, "backoff": {"first": "10m", "factor": 1}})
        async with hasty(server, spec) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"job": "a"}, timeout=0.1)
            server.start()
            assert isinstance(await producer.send({"job": "b"}), Sent)

    run_async(scenario())


def test_a_send_that_times_out_in_the_queue_is_never_sent(server: Server) -> None:
    """It waits behind a send without a reply."""

    async def scenario() -> None:
        async with hasty(server, pipeline(), answer="30s") as producer:
            await producer.send({"job": "first"})
            server.pause()
            slow = asyncio.create_task(producer.send({"job": "slow"}))
            await until(lambda: unread(server), "the command is in flight")
            with pytest.raises(TimedOut):
                await producer.send({"job": "late"}, timeout=0.1)
            server.resume()
            await slow
        assert number(server, "XLEN", STREAM) == 2

    run_async(scenario())


def test_a_send_in_flight_awaits_its_reply_beyond_the_timeout(server: Server) -> None:
    """If the reply is a refusal, the send is not retried."""

    async def scenario() -> None:
        async with hasty(server, pipeline(backlog={"limit": 1, "when_full": "wait"}), answer="10s") as producer:
            await producer.send({"job": "first"})
            server.pause()
            late = asyncio.create_task(producer.send({"job": "late"}, timeout=0.05))
            await until(lambda: unread(server), "the command is in flight")
            done, _ = await asyncio.wait((late,), timeout=0.2)
            assert not done
            server.resume()
            with pytest.raises(BacklogFull):
                await late

    run_async(scenario())


# Repeated failures


def test_an_open_breaker_fails_sends_at_once(server: Server) -> None:
    """After the cool-down, one send tries Redis, and then all work again."""

    async def scenario() -> None:
        now = 0.0
        metrics = new_metrics()
        redis = Redis(addresses=[server.address])
        producer = Producer(pipeline(), redis, credentials=Credentials(), metrics=metrics, clock=lambda: now)
        server.kill()
        async with producer:
            errors = []
            for _ in range(3):
                with pytest.raises((RedisAbsent, BreakerOpen)) as error:
                    await producer.send({"job": "a"})
                errors.append(type(error.value))
            assert errors == [RedisAbsent, BreakerOpen, BreakerOpen]
            assert value_of(metrics.gauge(sending.BREAKER_OPEN)) == 1
            server.start()
            with pytest.raises(BreakerOpen, match="the last error: no connection"):
                await producer.send({"job": "b"})
            outcomes = await producer.send_many(jobs(3))
            assert [type(one.error) for one in outcomes if isinstance(one, Failed)] == [BreakerOpen] * 3
            now = 1.1
            assert isinstance(await producer.send({"job": "c"}), Sent)
            assert isinstance(await producer.send({"job": "d"}), Sent)
        assert number(server, "XLEN", STREAM) == 2
        assert value_of(metrics.gauge(sending.BREAKER_OPEN)) == 0
        assert metrics.counter(sending.BREAKER_OPENED).value == 1

    run_async(scenario())


@pytest.mark.parametrize(("cooldown", "waits"), [("30s", (1, 2, 4)), ("500ms", (0.5, 0.5, 0.5)), ("2s", (1, 2, 2))])
def test_the_spec_sets_the_longest_cool_down(server: Server, cooldown: str, waits: tuple[float, ...]) -> None:
    """While Redis is away, one send tries after each wait; once it is back, the next try ends the outage."""

    async def scenario() -> None:
        now = 0.0
        spec = pipeline(send={"attempts": 1, "breaker": {"cooldown": cooldown}})
        producer = Producer(
            spec,
            Redis(addresses=[server.address]),
            credentials=Credentials(),
            metrics=new_metrics(),
            clock=lambda: now,
        )
        server.kill()
        async with producer:
            for _ in range(5):
                with pytest.raises(RedisAbsent):
                    await producer.send({"job": "a"})
            for number, wait in enumerate(waits, 1):
                with pytest.raises(BreakerOpen):
                    await producer.send({"job": "b"})
                now += wait + 0.001
                if number < len(waits):
                    with pytest.raises(RedisAbsent):
                        await producer.send({"job": "c"})
            server.start()
            assert isinstance(await producer.send({"job": "d"}), Sent)
            assert isinstance(await producer.send({"job": "e"}), Sent)

    run_async(scenario())


def test_closing_resets_the_breaker_metric(server: Server) -> None:
    """A closed producer would otherwise show an open breaker forever."""

    async def scenario() -> None:
        metrics = new_metrics()
        server.kill()
        async with hasty(server, pipeline(), metrics=metrics) as producer:
            outcomes = [await producer.send_many(jobs(1)) for _ in range(2)]
            assert [type(one.error) for [one] in outcomes if isinstance(one, Failed)] == [RedisAbsent, BreakerOpen]
            assert value_of(metrics.gauge(sending.BREAKER_OPEN)) == 1
        assert value_of(metrics.gauge(sending.BREAKER_OPEN)) == 0

    run_async(scenario())


def test_refusals_do_not_open_the_breaker(server: Server) -> None:
    """Each send gets the refusal itself."""

    async def scenario() -> None:
        server.ask("SET", STREAM, "no stream")
        async with hasty(server, pipeline()) as producer:
            for _ in range(10):
                with pytest.raises(RedisRefused):
                    await producer.send({"job": "a"})

    run_async(scenario())


def test_an_internal_error_reaches_every_waiting_send(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """None waits forever, and the next send works."""

    async def scenario() -> None:
        async with hasty(server, pipeline()) as producer:
            with monkeypatch.context() as patch:
                patch.setattr(Link, "run", fails)
                sends = [asyncio.create_task(producer.send(body)) for body in jobs(300)]
                outcomes = await asyncio.gather(*sends, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [LookupError] * 300
            assert isinstance(await producer.send({"job": "a"}), Sent)

    async def fails(*_: object) -> None:
        raise LookupError

    run_async(scenario())


@pytest.mark.parametrize("bodies", [1, 300])
def test_an_error_before_the_request_reaches_every_waiting_send(
    server: Server, bodies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A send without a task must not wait forever, either."""

    async def scenario() -> None:
        async with hasty(server, pipeline()) as producer:
            assert isinstance(await producer.send({"job": "a"}), Sent)  # the connection is open
            with monkeypatch.context() as patch:
                patch.setattr(Link, "start", fails)
                asyncio.get_running_loop().set_exception_handler(lambda *_: None)
                sends = [asyncio.create_task(producer.send(body)) for body in jobs(bodies)]
                outcomes = await asyncio.wait_for(asyncio.gather(*sends, return_exceptions=True), 30)
            assert [type(outcome) for outcome in outcomes] == [LookupError] * bodies
            assert isinstance(await producer.send({"job": "a"}), Sent)

    def fails(*_: object) -> None:
        raise LookupError

    run_async(scenario())


def test_a_full_backlog_does_not_open_the_breaker(server: Server) -> None:
    """Redis replies, so the breaker stays closed."""

    async def scenario() -> None:
        async with hasty(server, pipeline(backlog={"limit": 1})) as producer:
            outcomes = await producer.send_many(jobs(20))
            for _ in range(20):
                outcomes += await producer.send_many(jobs(1))
            server.ask("DEL", STREAM)
            assert isinstance(await producer.send({"job": "a"}), Sent)
        assert sum(isinstance(outcome, Sent) for outcome in outcomes) == 1

    run_async(scenario())
