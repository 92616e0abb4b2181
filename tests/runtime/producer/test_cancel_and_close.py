"""Cancelled sends and closed producers leave no caller waiting and mix up no replies."""

import asyncio
from pathlib import Path

import pytest
from event_loop import run_async, until
from sending import DEDUP, STREAM, entries, jobs, number, pipeline
from servers import Server

from penstock.producer import BacklogFull, Closed, Producer, RedisAbsent, Sent, Unknown
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration


def producer(server: Server, spec: Pipeline | None = None, *, answer: str = "10s") -> Producer:
    redis = Redis(addresses=[server.address], timeouts=Timeouts(answer=Duration(answer)))
    return Producer(spec or pipeline(), redis, credentials=Credentials())


def is_in_flight(server: Server) -> bool:
    """Report whether the paused server has bytes that it has not read."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(line[1].endswith(f":{server.port:04X}") and int(line[4].partition(":")[2], 16) for line in lines)


def test_a_cancelled_send_keeps_the_connection_usable(server: Server) -> None:
    """The producer reads the cancelled reply, so the next send gets its own reply on the same connection."""

    async def scenario() -> None:
        async with producer(server) as one:
            await one.send({"job": "first"})
            connections = number_of_connections(server)
            server.pause()
            cancelled = asyncio.create_task(one.send({"job": "cancelled"}))
            await until(lambda: is_in_flight(server), "the command is in flight")
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            server.resume()
            after = await one.send({"job": "after"})
            assert isinstance(after, Sent)
            assert number_of_connections(server) == connections
            assert [entry.id for entry in entries(server)][-1] == after.entry
            assert len(entries(server)) == 3

    run_async(scenario())


def number_of_connections(server: Server) -> str:
    """Return how many connections the server has accepted since it started."""
    return str(server.ask("INFO", "stats")).partition("total_connections_received:")[2].split()[0]


def test_a_send_cancelled_in_the_queue_is_never_sent(server: Server) -> None:
    """Its neighbours in the queue are sent."""

    async def scenario() -> None:
        async with producer(server) as one:
            await one.send({"job": "first"})
            server.pause()
            slow = asyncio.create_task(one.send({"job": "slow"}))
            await until(lambda: is_in_flight(server), "the command is in flight")
            sends = [asyncio.create_task(one.send({"job": name})) for name in ("a", "cancelled", "c")]
            await asyncio.sleep(0)
            sends[1].cancel()
            with pytest.raises(asyncio.CancelledError):
                await sends[1]
            server.resume()
            for send in (slow, sends[0], sends[2]):
                assert isinstance(await send, Sent)
        bodies = [entry.fields["data"] for entry in entries(server)]
        assert bodies == ['{"job":"first"}', '{"job":"slow"}', '{"job":"a"}', '{"job":"c"}']

    run_async(scenario())


def test_cancelling_send_many_stops_the_rest(server: Server) -> None:
    """The producer stays usable."""

    async def scenario() -> None:
        async with producer(server) as one:
            await one.send({"job": "first"})
            server.pause()
            many = asyncio.create_task(one.send_many(jobs(2000)))
            await until(lambda: is_in_flight(server), "some commands are in flight")
            many.cancel()
            with pytest.raises(asyncio.CancelledError):
                await many
            server.resume()
            last = await one.send({"job": "last"})
            assert isinstance(last, Sent)
        ids = [entry.id for entry in entries(server)]
        assert ids[-1] == last.entry
        assert len(ids) <= 202, "the first, those in flight, and the last"

    run_async(scenario())


def test_a_send_cancelled_in_a_full_backlog_is_never_sent(server: Server) -> None:
    """It is not sent when there is room again."""

    async def scenario() -> None:
        async with producer(server, pipeline(backlog={"limit": 1, "when_full": "wait"})) as one:
            await one.send({"job": "first"})
            waits = asyncio.create_task(one.send({"job": "cancelled"}))
            stays = asyncio.create_task(one.send({"job": "stays"}))
            done, _ = await asyncio.wait((waits, stays), timeout=0.1)
            assert not done
            waits.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waits
            server.ask("DEL", STREAM)
            await stays
        assert [entry.fields["data"] for entry in entries(server)] == ['{"job":"stays"}']

    run_async(scenario())


def test_a_closed_producer_refuses_sends(server: Server) -> None:
    """A second close does nothing."""

    async def scenario() -> None:
        one = producer(server)
        await one.send({"job": "a"})
        await one.close()
        await one.close()
        with pytest.raises(Closed):
            await one.send({"job": "b"})
        assert number(server, "XLEN", STREAM) == 1

    run_async(scenario())


def test_closing_sends_the_queued_messages(server: Server) -> None:
    """Close waits for them as long as Redis accepts them."""

    async def scenario() -> None:
        one = producer(server)
        sends = [asyncio.create_task(one.send(body)) for body in jobs(1000)]
        await asyncio.sleep(0)
        await one.close()
        outcomes = await asyncio.gather(*sends)
        assert all(isinstance(outcome, Sent) for outcome in outcomes)
        assert number(server, "XLEN", STREAM) == 1000

    run_async(scenario())


@pytest.mark.parametrize("message", [{}, {"dedup": DEDUP}])
def test_closing_never_waits_forever(server: Server, message: dict[str, object]) -> None:
    """A send without a reply is unknown, even with a key; one behind it is not sent."""

    async def scenario() -> None:
        one = producer(server, pipeline(message=message, send={"attempts": 100}), answer="2s")
        await one.send({"job": "first"})
        server.pause()
        slow = asyncio.create_task(one.send({"job": "slow"}))
        await until(lambda: is_in_flight(server), "the command is in flight")
        behind = asyncio.create_task(one.send({"job": "behind"}))
        await asyncio.sleep(0)
        await one.close()
        server.resume()
        with pytest.raises(Unknown):
            await slow
        with pytest.raises((Closed, RedisAbsent)):
            await behind

    run_async(scenario())


def test_closing_fails_sends_that_wait_for_room(server: Server) -> None:
    """They fail with `BacklogFull`."""

    async def scenario() -> None:
        one = producer(server, pipeline(backlog={"limit": 1, "when_full": "wait"}))
        await one.send({"job": "first"})
        waits = asyncio.create_task(one.send({"job": "waits"}))
        done, _ = await asyncio.wait((waits,), timeout=0.1)
        assert not done
        await one.close()
        with pytest.raises(BacklogFull):
            await waits
        assert number(server, "XLEN", STREAM) == 1

    run_async(scenario())


def test_closing_ends_retries_while_redis_is_absent(server: Server) -> None:
    """The send fails with its last error; close does not wait for the end of the backoff."""

    async def scenario() -> None:
        server.kill()
        one = producer(server, pipeline(send={"attempts": 5, "backoff": {"first": "10m", "factor": 1}}))
        retrying = asyncio.create_task(one.send({"job": "a"}))
        done, _ = await asyncio.wait((retrying,), timeout=0.2)
        assert not done
        await one.close()
        with pytest.raises(RedisAbsent):
            await retrying

    run_async(scenario())


def test_a_producer_connects_only_to_send(server: Server) -> None:
    """An unused producer opens no connection; a closed one leaves none open."""

    async def scenario() -> None:
        before = number_of_connections(server)
        async with producer(server):
            pass
        assert number_of_connections(server) == before
        async with producer(server) as one:
            await one.send({"job": "a"})
            assert "name=penstock-producer-trial" in str(server.ask("CLIENT", "LIST"))
        await until(lambda: "penstock-producer" not in str(server.ask("CLIENT", "LIST")), "the connection is closed")

    run_async(scenario())
