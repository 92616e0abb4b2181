"""Sends that are cancelled, and producers that are closed: nobody waits for ever, and nobody gets another's answer."""

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


def on_its_way(server: Server) -> bool:
    """A server that hangs has something to read."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(line[1].endswith(f":{server.port:04X}") and int(line[4].partition(":")[2], 16) for line in lines)


def test_a_cancelled_send_leaves_the_connection_clean(server: Server) -> None:
    """The next one gets its own answer, over the same connection: what was on its way was awaited, by nobody."""

    async def scenario() -> None:
        async with producer(server) as one:
            await one.send({"job": "first"})
            connections = number_of_connections(server)
            server.pause()
            leaves = asyncio.create_task(one.send({"job": "cancelled"}))
            await until(lambda: on_its_way(server), "it is on its way")
            leaves.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaves
            server.resume()
            after = await one.send({"job": "after"})
            assert isinstance(after, Sent)
            assert number_of_connections(server) == connections
            assert [entry.id for entry in entries(server)][-1] == after.entry
            assert len(entries(server)) == 3

    run_async(scenario())


def number_of_connections(server: Server) -> str:
    """How many the server has ever had."""
    return str(server.ask("INFO", "stats")).partition("total_connections_received:")[2].split()[0]


def test_a_send_that_is_cancelled_before_its_turn_is_never_sent(server: Server) -> None:
    """Those beside it are."""

    async def scenario() -> None:
        async with producer(server) as one:
            await one.send({"job": "first"})
            server.pause()
            slow = asyncio.create_task(one.send({"job": "slow"}))
            await until(lambda: on_its_way(server), "it is on its way")
            sends = [asyncio.create_task(one.send({"job": name})) for name in ("a", "cancelled", "c")]
            await asyncio.sleep(0)
            sends[1].cancel()
            with pytest.raises(asyncio.CancelledError):
                await sends[1]
            server.resume()
            for send in (slow, sends[0], sends[2]):
                assert isinstance(await send, Sent)
        said = [entry.fields["data"] for entry in entries(server)]
        assert said == ['{"job":"first"}', '{"job":"slow"}', '{"job":"a"}', '{"job":"c"}']

    run_async(scenario())


def test_cancelling_many_stops_what_has_not_been_handed_over(server: Server) -> None:
    """And the producer goes on."""

    async def scenario() -> None:
        async with producer(server) as one:
            await one.send({"job": "first"})
            server.pause()
            many = asyncio.create_task(one.send_many(jobs(2000)))
            await until(lambda: on_its_way(server), "some are on their way")
            many.cancel()
            with pytest.raises(asyncio.CancelledError):
                await many
            server.resume()
            last = await one.send({"job": "last"})
            assert isinstance(last, Sent)
        ids = [entry.id for entry in entries(server)]
        assert ids[-1] == last.entry
        assert len(ids) <= 202, "the first, what was on its way, and the last"

    run_async(scenario())


def test_cancelling_in_a_full_backlog(server: Server) -> None:
    """Who waits for room and goes is not sent when room comes."""

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


def test_a_closed_producer_says_so(server: Server) -> None:
    """Closing twice is closing once."""

    async def scenario() -> None:
        one = producer(server)
        await one.send({"job": "a"})
        await one.close()
        await one.close()
        with pytest.raises(Closed):
            await one.send({"job": "b"})
        assert number(server, "XLEN", STREAM) == 1

    run_async(scenario())


def test_closing_sends_what_is_there(server: Server) -> None:
    """As long as nothing stands in the way."""

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
def test_closing_waits_for_nothing_for_ever(server: Server, message: dict[str, object]) -> None:
    """A send without an answer is unknown, with a key too; one behind it was not sent."""

    async def scenario() -> None:
        one = producer(server, pipeline(message=message, send={"attempts": 100}), answer="2s")
        await one.send({"job": "first"})
        server.pause()
        slow = asyncio.create_task(one.send({"job": "slow"}))
        await until(lambda: on_its_way(server), "it is on its way")
        behind = asyncio.create_task(one.send({"job": "behind"}))
        await asyncio.sleep(0)
        await one.close()
        server.resume()
        with pytest.raises(Unknown):
            await slow
        with pytest.raises((Closed, RedisAbsent)):
            await behind

    run_async(scenario())


def test_closing_in_a_full_backlog(server: Server) -> None:
    """Who waits for room is told that there was none."""

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


def test_closing_while_redis_is_away(server: Server) -> None:
    """Who insists is told what stood in the way; a pause between attempts is not slept through."""

    async def scenario() -> None:
        server.kill()
        one = producer(server, pipeline(send={"attempts": 5, "backoff": {"first": "10m", "factor": 1}}))
        insists = asyncio.create_task(one.send({"job": "a"}))
        done, _ = await asyncio.wait((insists,), timeout=0.2)
        assert not done
        await one.close()
        with pytest.raises(RedisAbsent):
            await insists

    run_async(scenario())


def test_nothing_is_connected_without_need(server: Server) -> None:
    """A producer that sends nothing leaves no trace; one that is closed leaves no connection."""

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
