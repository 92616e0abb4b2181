"""The screen's keys act on real processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import ledger
import pytest
from dev_controls import running
from dev_session import Laptop
from event_loop import run_async, until
from servers import Server as RealServer

from penstock_dev.running.control import SupervisorControl
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.server import ExternalRedis, RedisServer, RepositoryRedis
from penstock_dev.snapshot import SpecSnapshot, WorkerState
from penstock_spec.findings import CannotGoOn


def only_spec(controls: SupervisorControl) -> SpecSnapshot:
    """The only pipeline."""
    (one,) = controls.supervisor.snapshot().specs
    return one


async def ready(controls: SupervisorControl) -> None:
    """Wait for a ready worker."""
    await until(lambda: any(one.state is WorkerState.READY for one in only_spec(controls).workers), "a worker is ready")


def test_messages_sent_by_a_key_are_done(busy: Laptop) -> None:
    """They fit the schema, and the kill key kills the worker that runs them."""

    async def scenario() -> None:
        with RepositoryRedis(busy.folder / ".penstock" / "redis", LogBuffer()) as server:
            async with running(busy, server) as controls:
                await ready(controls)
                assert await controls.send("trial", 3) == "sent 3 messages"
                await until(
                    lambda: [one.running for one in only_spec(controls).workers] == [3], "the worker runs all of them"
                )
                (worker,) = only_spec(controls).workers
                assert await controls.kill("trial", None) == f"killed {worker.name} (pid {worker.pid})"
                await until(
                    lambda: [one.pid for one in only_spec(controls).workers] not in ([], [worker.pid]),
                    "a replacement runs",
                )
                with pytest.raises(CannotGoOn, match=r"`trial` has no worker `"):
                    await controls.kill("trial", worker.name)
                with pytest.raises(CannotGoOn, match="`other` is not running"):
                    await controls.send("other", 1)

    run_async(scenario())


def test_a_stopped_redis_can_be_started(laptop: Laptop) -> None:
    """It restarts at the same address with its data; until then all numbers are unknown."""

    async def scenario() -> None:
        with RepositoryRedis(laptop.folder / ".penstock" / "redis", LogBuffer()) as server:
            async with running(laptop, server) as controls:
                await until(lambda: controls.supervisor.snapshot().redis.up, "Redis is reachable")
                with pytest.raises(CannotGoOn, match="Redis is already running"):
                    await controls.start_redis()
                await controls.pause("trial")
                await controls.send("trial", 2)
                await until(lambda: only_spec(controls).backlog == 2, "both wait")
                address = controls.supervisor.snapshot().redis.address

                assert await controls.stop_redis() == "stopped Redis"

                await until(lambda: not controls.supervisor.snapshot().redis.up, "Redis is down")
                assert only_spec(controls).backlog is None
                with pytest.raises(CannotGoOn, match="Redis is already stopped"):
                    await controls.stop_redis()
                assert await controls.start_redis() == "started Redis with its saved data"
                await until(lambda: only_spec(controls).backlog == 2, "both still wait")
                assert controls.supervisor.snapshot().redis.address == address
                assert only_spec(controls).paused
                assert not only_spec(controls).workers
                assert await controls.resume("trial") == "resumed scaling"
                await until(lambda: only_spec(controls).backlog == 0, "both are done")
                assert len(ledger.by_message(ledger.read(laptop.ledger), "end")) == 2

    run_async(scenario())


def test_redis_moves_if_its_port_is_taken(laptop: Laptop) -> None:
    """All processes restart with the new address."""

    async def scenario() -> None:
        with RepositoryRedis(laptop.folder / ".penstock" / "redis", LogBuffer()) as server:
            async with running(laptop, server) as controls:
                await until(lambda: controls.supervisor.snapshot().redis.up, "Redis is reachable")
                await controls.send("trial", 1)
                await controls.stop_redis()
                port = int(server.url.rpartition(":")[2])
                occupied = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", port)
                try:
                    await controls.start_redis()
                    assert not server.url.endswith(f":{port}")
                    await until(lambda: only_spec(controls).backlog == 0, "it is done")
                finally:
                    occupied.close()

    run_async(scenario())


def test_only_an_own_redis_can_be_stopped(laptop: Laptop) -> None:
    """Neither a Redis given by URL, nor the embedded one of another command."""

    async def scenario(server: RedisServer, stop: str, start: str) -> None:
        async with running(laptop, server) as controls:
            with pytest.raises(CannotGoOn, match=stop):
                await controls.stop_redis()
            with pytest.raises(CannotGoOn, match=start):
                await controls.start_redis()
            with pytest.raises(CannotGoOn, match="`trial` has no running worker"):
                await controls.kill("trial", None)

    with RealServer() as named:
        refused = "`penstock dev` did not start this Redis"
        run_async(scenario(ExternalRedis(named.url), refused, refused))
    folder = laptop.folder / ".penstock" / "redis"
    with RepositoryRedis(folder, LogBuffer()) as first, RepositoryRedis(folder, LogBuffer()) as second:
        assert second.url == first.url
        run_async(scenario(second, "another command of this repository runs this Redis", "Redis is already running"))


def test_an_embedded_redis_is_taken_over_from_another_command(tmp_path: Path) -> None:
    """When that command exits. The data is kept."""
    words = "import sys\nwith shared(Path(sys.argv[1])) as url:\n print(url, flush=True)\n sys.stdin.read()"
    imports = "from pathlib import Path\nfrom penstock.embedded import shared\n"
    command = [sys.executable, "-c", imports + words, str(tmp_path)]

    async def scenario(other: subprocess.Popen[str], url: str) -> None:
        with RepositoryRedis(tmp_path, LogBuffer()) as server:
            assert (server.url, server.owned) == (url, False)
            keeping = asyncio.create_task(server.keep())
            other.kill()
            await until(lambda: server.owned, "this process runs it")
            keeping.cancel()

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        run_async(scenario(other, other.stdout.readline().strip()))
