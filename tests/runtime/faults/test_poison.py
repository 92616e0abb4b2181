"""Messages that crash their process."""

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
def test_poison_harms_no_other_message(make_trial: Callable[..., Trial]) -> None:
    """One message in a hundred calls `os._exit`: after three attempts it is dead, and all others are done."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        poison = {f"m{number}" for number in range(50, MESSAGES, 100)}
        names = [f"m{number}" for number in range(MESSAGES)]
        trial.send({"id": name, "poison": name in poison} for name in names)
        workers = [trial.worker() for _ in range(2)]

        def is_empty() -> bool:
            for place, worker in enumerate(workers):
                if worker.process.poll() is not None:
                    workers[place] = trial.worker()
            return trial.left() == 0

        wait_for(is_empty, "all messages are done or dead", 150)

        dead = [dead_letter["penstock-dead-id"] for dead_letter in trial.dead()]
        assert len(dead) == len(set(dead)) == len(poison)
        lines = read(trial.ledger)
        ends = by_message(lines, "end")
        assert set(ends) == set(names) - poison
        for name in poison:
            assert len(by_message(lines, "start")[name]) == 3, "each has three attempts"
        trial.assert_nothing_left()
        assert_few_crashes(trial.processes)


def assert_few_crashes(processes: list[Process]) -> None:
    """Each poison message crashes one worker at most: after that it runs isolated."""
    codes = [process.process.poll() for process in processes]
    assert codes.count(3) <= 4, codes
