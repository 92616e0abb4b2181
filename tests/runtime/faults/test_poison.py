"""A message that crashes its process."""

from collections.abc import Callable

import pytest
from ledger import by_message, read
from pipelines import Process, Trial
from servers import wait_for

HANDLERS = """\
import asyncio, os
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if message["poison"]:
        os._exit(3)
    await asyncio.sleep(0.005)
    ledger.note("end", message["id"], context.fence)
"""
SPEC = """\
work: {concurrency: 8, lease: 10s, timeout: 20s}
retries: {attempts: 3, backoff: {first: 100ms}}
"""
MESSAGES = 400


@pytest.mark.storm
def test_poison_harms_no_other_message(trial: Callable[..., Trial]) -> None:
    """`os._exit` in one of a hundred messages, and three attempts: those are dead, and all others done."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        poison = {f"m{number}" for number in range(50, MESSAGES, 100)}
        names = [f"m{number}" for number in range(MESSAGES)]
        one.send({"id": name, "poison": name in poison} for name in names)
        workers = [one.worker() for _ in range(2)]

        def over() -> bool:
            for place, worker in enumerate(workers):
                if worker.process.poll() is not None:
                    workers[place] = one.worker()
            return one.left() == 0

        wait_for(over, "all is done or dead", 150)

        dead = [letter["penstock-dead-id"] for letter in one.dead()]
        assert len(dead) == len(set(dead)) == len(poison)
        lines = read(one.ledger)
        ends = by_message(lines, "end")
        assert set(ends) == set(names) - poison
        for name in poison:
            assert len(by_message(lines, "start")[name]) == 3, "each of the three attempts was made"
        one.assert_nothing_left()
        crashed(one.processes)


def crashed(processes: list[Process]) -> None:
    """Each poison crashed one worker at most: after that it ran isolated."""
    codes = [process.process.poll() for process in processes]
    assert codes.count(3) <= 4, codes
