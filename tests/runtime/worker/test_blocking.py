"""A handler that blocks the event loop stops neither leases nor health checks."""

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


def test_a_blocked_loop_loses_no_lease(make_trial: Callable[..., Trial]) -> None:
    """While a handler blocks the event loop, the worker renews its lease and serves health and metrics."""
    with make_trial(handlers=HANDLERS, spec="work: {lease: 10s}") as trial:
        worker = trial.worker().ready()
        [consumer] = trial.live_consumers()
        before = lease_end(trial, consumer)
        trial.send([{"id": "a", "takes": 8}])  # twice the time between two renewals: the machine may be busy
        wait_for(lambda: read(trial.ledger), "the message runs")
        wait_for(lambda: lease_end(trial, consumer) > before, "the lease is renewed")
        assert page(worker, "/livez")[0] == page(worker, "/readyz")[0] == 200
        assert numbers(worker).of("loop_lag") > 1
        assert not by_message(read(trial.ledger), "end-1"), "the loop is still blocked"
        trial.until_drained()
        until_counted(worker, "done", 1)
        assert numbers(worker).of("lease_lost") == 0
        assert worker.end() == 0


def test_a_loop_that_stays_blocked_ends_the_process(make_trial: Callable[..., Trial]) -> None:
    """After timeout and margin the process exits with code 70, and its messages run elsewhere, isolated."""
    spec = "work: {lease: 10s, timeout: 6s}\nshutdown: {margin: 4s, grace: 20s}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        [consumer] = trial.live_consumers()
        trial.send([{"id": "a", "takes": 600}])
        assert worker.process.wait(PATIENCE) == 70
        assert len(worker.events(Event.LOOP_BLOCKED)) == 1

        second = trial.worker().ready()
        take_over(trial, consumer)
        trial.until_drained()
        first, last = by_message(read(trial.ledger), "start")["a"]
        assert first.fence < last.fence
        assert last.pid not in {worker.process.pid, second.process.pid}, "the suspect runs in its own process"
        [end] = by_message(read(trial.ledger), "end-2")["a"]
        assert end.fence == last.fence
        assert numbers(second).of("delivered", source="suspect") >= 1
        assert second.end() == 0
        trial.assert_nothing_left()
