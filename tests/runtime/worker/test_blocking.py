"""Handlers that block the worker's loop."""

from collections.abc import Callable

from consumer_leases import lease_end, take_over
from http_probes import numbers, page, until_counted
from ledger import by_message, read
from patience import PATIENCE
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import time
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if context.attempt == 1:
        time.sleep(message["takes"])
    ledger.note(f"end-{context.attempt}", message["id"], context.fence)
"""


def test_a_blocked_loop_loses_nothing(trial: Callable[..., Trial]) -> None:
    """While a handler sleeps where it should await, the lease is renewed, and health and metrics answer."""
    with trial(handlers=HANDLERS, spec="work: {lease: 10s}") as one:
        worker = one.worker().ready()
        [consumer] = one.live_consumers()
        before = lease_end(one, consumer)
        one.send([{"id": "a", "takes": 8}])  # twice what is between two renewals: the machine may be busy
        wait_for(lambda: read(one.ledger), "it runs")
        wait_for(lambda: lease_end(one, consumer) > before, "the lease is renewed")
        assert page(worker, "/livez")[0] == page(worker, "/readyz")[0] == 200
        assert numbers(worker).of("loop_lag") > 1
        assert not by_message(read(one.ledger), "end-1"), "and all that while the loop is blocked"
        one.until_drained()
        until_counted(worker, "done", 1)
        assert numbers(worker).of("lease_lost") == 0
        assert worker.end() == 0


def test_a_loop_blocked_for_ever_ends_the_process(trial: Callable[..., Trial]) -> None:
    """After timeout and margin the process exits with its own code, and its messages run elsewhere, isolated."""
    spec = "work: {lease: 10s, timeout: 6s}\nshutdown: {margin: 4s, grace: 20s}\n"
    with trial(handlers=HANDLERS, spec=spec) as one:
        worker = one.worker().ready()
        [consumer] = one.live_consumers()
        one.send([{"id": "a", "takes": 600}])
        assert worker.process.wait(PATIENCE) == 70
        assert len(worker.events(Event.LOOP_BLOCKED)) == 1

        second = one.worker().ready()
        take_over(one, consumer)
        one.until_drained()
        first, last = by_message(read(one.ledger), "start")["a"]
        assert first.fence < last.fence
        assert last.pid not in {worker.process.pid, second.process.pid}, "it is a suspect, and has a process of its own"
        [end] = by_message(read(one.ledger), "end-2")["a"]
        assert end.fence == last.fence
        assert numbers(second).of("delivered", source="suspect") >= 1
        assert second.end() == 0
        one.assert_nothing_left()
