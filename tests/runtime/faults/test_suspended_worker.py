"""A worker that is suspended past its lease and resumed does no harm."""

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


def test_a_resumed_worker_settles_no_message_of_another(make_trial: Callable[..., Trial]) -> None:
    """While a worker is suspended past its lease, its messages run elsewhere.

    Resumed, it cancels them, registers a new consumer, and continues; each message is settled once, none is dead.
    """
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        sleeper = trial.worker().ready()
        held = [f"h{number}" for number in range(4)]
        trial.send({"id": name, "takes": 15} for name in held)
        wait_for(lambda: len(by_message(read(trial.ledger), "start")) == 4, "the worker runs all of them")
        sleeper.signal(signal.SIGSTOP)
        taker = trial.worker().ready()
        wait_for(
            lambda: any(line.worker == taker.name for line in read(trial.ledger)), "its messages are taken over", 60
        )

        sleeper.signal(signal.SIGCONT)
        sleeper.until(Event.LEASE_LOST, 30)
        sleeper.until(Event.CONSUMER_JOINED, times=2)
        fresh = [f"f{number}" for number in range(40)]
        trial.send({"id": name, "takes": 0.05} for name in fresh)
        trial.until_drained(120)

        ends = by_message(read(trial.ledger), "end")
        assert set(ends) == {*held, *fresh}
        for name in held:
            workers = {line.worker for line in ends[name]}
            assert taker.name in workers
            # A handler that was due to finish during the suspension ends after it, and its settle is fenced.
            assert sleeper.name not in workers or sleeper.events(Event.OUTCOMES_FENCED)
        assert any(line.worker == sleeper.name for name in fresh for line in ends[name]), "the resumed worker continues"
        assert trial.dead() == []
        assert sleeper.end() == taker.end() == 0
        trial.assert_nothing_left()
