"""Workers and the janitor are killed while messages flow."""

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
    """Sends as fast as the workers work, and records what Redis took."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(daemon=True)
        self._trial = trial
        self.over = threading.Event()
        self.accepted: list[str] = []

    def run(self) -> None:
        while not self.over.is_set():
            if self._trial.left() > 500:
                time.sleep(0.01)
                continue
            name = f"m{len(self.accepted)}"
            self._trial.ask("XADD", KEY, "*", "data", json.dumps({"id": name, "fails": len(self.accepted) % 10 == 0}))
            self.accepted.append(name)


@pytest.mark.storm
def test_kill_anything(trial: Callable[..., Trial]) -> None:
    """One of four workers is killed every 300 ms for 30 s, and the janitor now and then.

    Each accepted message is done and no other; nothing is left; what ran twice was running at a kill.
    """
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        workers = [one.worker() for _ in range(4)]
        janitor = start_janitor(one)
        workers[0].ready()
        sender = Sender(one)
        sender.start()
        end = time.monotonic() + SECONDS
        for kills, place in enumerate(cycle(range(4))):
            if time.monotonic() > end:
                break
            time.sleep(EVERY)  # this is the fault itself, not a wait for it
            workers[place].kill()
            workers[place] = one.worker()
            if kills % 10 == 9:
                janitor.kill()
                janitor = start_janitor(one)
        sender.over.set()
        sender.join()
        one.until_drained(120)
        for worker in workers:
            assert worker.ready().end() == 0

        lines = read(one.ledger)
        ends, starts = by_message(lines, "end"), by_message(lines, "start")
        assert len(sender.accepted) > 200
        assert set(ends) == set(sender.accepted), "each accepted message is done, and nothing is invented"
        assert one.dead() == []
        ended_early = {
            process.name for process in one.processes if process.killed is not None or process.events(Event.LEASE_LOST)
        }
        for message, ended in ends.items():
            for line in ended[:-1]:
                assert line.worker in ended_early, f"{message} was done twice, first by a worker that lived on"
        doubles = Counter(line.worker for ended in ends.values() for line in ended[:-1])
        assert not doubles or max(doubles.values()) <= 2 * CONCURRENCY, "no more than could run or settle at one kill"
        fences = [(message, line.fence) for message, began in starts.items() for line in began]
        assert len(fences) == len(set(fences)), "no fencing token is given twice"
        one.assert_nothing_left()


def start_janitor(trial: Trial) -> Process:
    """Start a janitor, which is killed too."""
    return trial.start("janitor", "--redis", trial.target.url, "--listen", "127.0.0.1:0")


def test_a_drained_worker_leaves_nothing_behind(trial: Callable[..., Trial]) -> None:
    """SIGTERM under load: running messages finish, the consumer is gone, the exit code is 0, and nothing runs twice."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        names = [f"m{number}" for number in range(300)]
        one.send({"id": name, "fails": False} for name in names)
        first = one.worker().ready()
        wait_for(lambda: len(read(one.ledger)) > 50, "it works")
        assert first.end() == 0
        assert one.live_consumers() == []
        second = one.worker()
        one.until_drained()
        assert second.end() == 0
        assert Counter(line.message for line in read(one.ledger) if line.what == "end") == Counter(names)
