"""A full Redis refuses producers; workers still make room."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from ledger import by_message, read
from pipelines import Trial
from servers import Server, wait_for
from targets import Target

from penstock.wire.credentials import Credentials

HANDLERS = """\
import asyncio
import ledger
import penstock

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    match message["id"].partition("-")[0]:
        case "held": await asyncio.sleep(600 if context.attempt == 1 else 0)
        case "retry" if context.attempt == 1: raise penstock.Retry(after=0.1)
        case "result": context.leave("x" * 100)
        case "bury": raise penstock.Bury("for good")
    ledger.note("end", message["id"], context.fence)
"""
SPEC = """\
work: {concurrency: 4, lease: 10s, block: 1s, timeout: 20m}
retries: {attempts: 3}
shutdown: {grace: 25m}
"""


@pytest.fixture
def make_server_trial(tmp_path: Path, server: Server) -> Iterator[Callable[..., Trial]]:
    """Creates a repository for a server whose settings the test may change."""
    with ExitStack() as ends:
        target = Target(server.model(), Credentials(), [server])
        yield lambda **options: ends.enter_context(Trial(tmp_path, target, **options))


def test_a_new_worker_empties_a_full_redis(make_server_trial: Callable[..., Trial], server: Server) -> None:
    """The worker takes over from a lost one, retries, buries dead messages, and drains."""
    names = [f"{kind}-{number}" for number in range(20) for kind in ("done", "retry", "result", "bury")]
    with make_server_trial(handlers=HANDLERS, spec=SPEC) as trial:
        lost = trial.worker().ready()
        trial.send({"id": f"held-{number}"} for number in range(4))
        wait_for(lambda: len(by_message(read(trial.ledger), "start")) == 4, "the worker runs four messages")
        lost.kill()
        trial.send({"id": name} for name in names)
        trial.ask("ZADD", "{trial}:delayed", 1, "later")
        trial.ask("EVAL", PACK, 1, "{trial}:bodies", "later", '{"id": "later-1"}')
        server.ask("CONFIG", "SET", "maxmemory", 1)

        worker = trial.worker().ready()
        trial.until_drained(90)
        ends = set(by_message(read(trial.ledger), "end"))
        assert ends == {name for name in (*names, *(f"held-{n}" for n in range(4))) if not name.startswith("bury")}
        assert len(trial.dead()) == 20
        worker.until_text("OOM command not allowed")

        server.ask("CONFIG", "SET", "maxmemory", 0)
        wait_for(lambda: "later-1" in by_message(read(trial.ledger), "end"), "the delayed message runs at last")
        trial.until_drained()
        assert worker.end() == 0
        trial.assert_nothing_left()


PACK = "return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack({'data', ARGV[2]}))"
