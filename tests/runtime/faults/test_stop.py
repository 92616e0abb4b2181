"""Workers that sleep past their lease, and wake."""

import signal
from collections.abc import Callable

from ledger import by_message, read
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    await asyncio.sleep(message["takes"])
    ledger.note("end", message["id"], context.fence)
"""
SPEC = """\
work: {concurrency: 4, lease: 10s, timeout: 60s}
retries: {attempts: 5, backoff: {first: 100ms}}
"""


def test_a_worker_that_wakes_settles_nothing_of_others(trial: Callable[..., Trial]) -> None:
    """A worker is stopped past its lease: its messages run elsewhere.

    When it wakes it cancels them, registers a new consumer, and works on; each message is settled once, none is dead.
    """
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        sleeper = one.worker().ready()
        held = [f"h{number}" for number in range(4)]
        one.send({"id": name, "takes": 15} for name in held)
        wait_for(lambda: len(by_message(read(one.ledger), "start")) == 4, "it runs all of them")
        sleeper.signal(signal.SIGSTOP)
        taker = one.worker().ready()
        wait_for(lambda: any(line.worker == taker.name for line in read(one.ledger)), "its messages are taken over", 60)

        sleeper.signal(signal.SIGCONT)
        sleeper.until(Event.LEASE_LOST, 30)
        sleeper.until(Event.CONSUMER_JOINED, times=2)
        fresh = [f"f{number}" for number in range(40)]
        one.send({"id": name, "takes": 0.05} for name in fresh)
        one.until_drained(120)

        ends = by_message(read(one.ledger), "end")
        assert set(ends) == {*held, *fresh}
        for name in held:
            workers = {line.worker for line in ends[name]}
            assert taker.name in workers
            # A handler whose time had come while it slept ends at once when it wakes, and changes nothing.
            assert sleeper.name not in workers or sleeper.events(Event.OUTCOMES_FENCED)
        assert any(line.worker == sleeper.name for name in fresh for line in ends[name]), "it works on"
        assert one.dead() == []
        assert sleeper.end() == taker.end() == 0
        one.assert_nothing_left()
