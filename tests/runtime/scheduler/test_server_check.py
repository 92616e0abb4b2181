"""A pod checks the server that it starts on."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from event_loop import run_async
from http_probes import numbers
from scheduler_processes import Schedule
from servers import Server, wait_for

from penstock.observe.events import Event
from penstock.scheduler.server_check import check_server
from penstock.wire.link import Link
from penstock_spec.findings import CannotGoOn

SPEC = "jobs: [{name: usual, every: 1s}]\n"
Make = Callable[..., Schedule]


def test_a_server_that_evicts_keys_is_reported(own_server: Make, server: Server) -> None:
    server.ask("CONFIG", "SET", "maxmemory", "200mb")
    server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    with own_server(spec=SPEC) as repo:
        pod = repo.pod()
        pod.until(Event.REDIS_EVICTS)
        assert pod.events(Event.REDIS_EVICTS)[0]["policy"] == "allkeys-lru"
        assert pod.end() == 0


def test_scripts_that_redis_lost_are_counted_and_logged(own_server: Make, server: Server) -> None:
    """They are sent again, and the jobs run on."""
    with own_server(spec=SPEC) as repo:
        pod = repo.pod()
        repo.until_ran("usual", 2)
        assert pod.events(Event.REDIS_SCRIPT_EVICTED) == []
        server.ask("SCRIPT", "FLUSH")
        wait_for(
            lambda: {"acquire", "complete"} <= {line["script"] for line in pod.events(Event.REDIS_SCRIPT_EVICTED)},
            "the lost scripts are logged",
        )
        assert numbers(pod).of("scheduler_scripts_sent_whole_total", script="acquire") == 1
        repo.until_ran("usual", len(repo.lines("end")["usual"]) + 2)
        assert pod.end() == 0


class OldServer:
    """A link to a server that lacks a command: no such server is installed here."""

    async def call(self, *command: object) -> Any:  # noqa: ANN401 - any reply
        await asyncio.sleep(0)
        return [None] if command[0] == "COMMAND" else b""


def test_a_server_that_is_too_old_ends_the_pod() -> None:
    with pytest.raises(CannotGoOn) as raised:
        run_async(check_server(cast("Link", OldServer())))
    assert raised.value.says == "Redis does not know the command ZMSCORE, so it is older than 6.2"
