"""Killed workers and janitors lose no message."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import cycle

import pytest
from ledger import by_message, read
from pipelines import KEY, Process, Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, random
import ledger
from penstock import Retry

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    await asyncio.sleep(random.uniform(0, 0.05))
    if message["fails"] and context.attempt == 1:
        raise Retry(after=0.2)
    ledger.note("end", message["id"], context.fence)
"""
CONCURRENCY = 8
SPEC = f"""\
work: {{concurrency: {CONCURRENCY}, lease: 10s, timeout: 20s}}
retries: {{attempts: 1000, backoff: {{first: 100ms}}}}
"""
SECONDS = 30.0
EVERY = 0.3


class Sender(threading.Thread):
    """Sends as fast as the workers run, and records the accepted messages."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(daemon=True)
        self._trial = trial
        self.stopped = threading.Event()
        self.accepted: list[str] = []

    def run(self) -> None:
        while not self.stopped.is_set():
            if self._trial.left() > 500:
                time.sleep(0.01)
                continue
            name = f"m{len(self.accepted)}"
            self._trial.ask("XADD", KEY, "*", "data", json.dumps({"id": name, "fails": len(self.accepted) % 10 == 0}))
            self.accepted.append(name)


@pytest.mark.storm
def test_kills_lose_no_message(make_trial: Callable[..., Trial]) -> None:
    """The test kills one of four workers every 300 ms for 30 s, and sometimes the janitor.

    Exactly the accepted messages are done, nothing remains, and a message runs twice only if it ran during a kill.
    """
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        workers = [trial.worker() for _ in range(4)]
        janitor = start_janitor(trial)
        workers[0].ready()
        sender = Sender(trial)
        sender.start()
        end = time.monotonic() + SECONDS
        for kills, place in enumerate(cycle(range(4))):
            if time.monotonic() > end:
                break
            time.sleep(EVERY)  # the pace of the faults, not a wait
            workers[place].kill()
            workers[place] = trial.worker()
            if kills % 10 == 9:
                janitor.kill()
                janitor = start_janitor(trial)
        sender.stopped.set()
        sender.join()
        trial.until_drained(120)
        for worker in workers:
            assert worker.ready().end() == 0

        lines = read(trial.ledger)
        ends, starts = by_message(lines, "end"), by_message(lines, "start")
        assert len(sender.accepted) > 200
        assert set(ends) == set(sender.accepted), "exactly the accepted messages are done"
        assert trial.dead() == []
        ended_early = {
            process.name
            for process in trial.processes
            if process.killed is not None or process.events(Event.LEASE_LOST)
        }
        for message, ended in ends.items():
            for line in ended[:-1]:
                assert line.worker in ended_early, f"{message} was done twice, first by a worker that survived"
        doubles = Counter(line.worker for ended in ends.values() for line in ended[:-1])
        assert not doubles or max(doubles.values()) <= 2 * CONCURRENCY, "at most as many as one kill interrupts"
        fences = [(message, line.fence) for message, began in starts.items() for line in began]
        assert len(fences) == len(set(fences)), "no fencing token is used twice"
        trial.assert_nothing_left()


def start_janitor(trial: Trial) -> Process:
    """Start a janitor."""
    return trial.start("janitor", "--redis", trial.target.url, "--listen", "127.0.0.1:0")


def test_a_drained_worker_leaves_nothing_behind(make_trial: Callable[..., Trial]) -> None:
    """After SIGTERM under load, running messages finish, the consumer is gone, the code is 0, and none runs twice."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        names = [f"m{number}" for number in range(300)]
        trial.send({"id": name, "fails": False} for name in names)
        first = trial.worker().ready()
        wait_for(lambda: len(read(trial.ledger)) > 50, "the worker runs messages")
        assert first.end() == 0
        assert trial.live_consumers() == []
        second = trial.worker()
        trial.until_drained()
        assert second.end() == 0
        assert Counter(line.message for line in read(trial.ledger) if line.what == "end") == Counter(names)
