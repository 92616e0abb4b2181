"""Messages of lost workers run isolated, and the last attempt runs alone, in the worker itself."""

from collections.abc import Callable

import pytest
from consumer_leases import take_over
from http_probes import numbers, page, until_counted
from ledger import Line, by_message, read
from patience import PATIENCE
from pipelines import DEAD, KEY, Process, Trial
from servers import wait_for

from penstock.observe.events import Event
from penstock.worker.suspect_pace import FIRST, MOST, SuspectPace

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    while not pathlib.Path(f"free-{message['id']}").exists():
        await asyncio.sleep(0.02)
    ledger.note("end", message["id"], context.fence)
"""
SPEC = """\
work: {concurrency: 4, lease: 60s}
retries: {attempts: 1}
message: {correlate: id}
"""


def starts(trial: Trial, name: str) -> list[Line]:
    return by_message(read(trial.ledger), "start").get(name, [])


def consumer_of(worker: Process) -> str:
    """The consumer of a worker."""
    [consumer] = {str(line["consumer"]) for line in worker.events(Event.CONSUMER_JOINED)}
    return consumer


def test_a_suspect_gets_one_additional_attempt_alone(make_trial: Callable[..., Trial]) -> None:
    """After its last attempt was lost, a message runs once more, alone in a worker and in its process.

    If that attempt is lost, too, the message is dead; messages that only ran with it survive.
    """
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        first = trial.worker().ready()
        trial.send([{"id": "victim"}])
        wait_for(lambda: starts(trial, "victim"), "the message runs")
        first.kill()
        second = trial.worker().ready()
        trial.send([{"id": "neighbour"}])
        wait_for(lambda: starts(trial, "neighbour"), "the second worker runs another message")
        take_over(trial, consumer_of(first))
        before = numbers(second).of("redis")
        wait_for(lambda: numbers(second).of("redis") > before + 5, "the worker has seen the suspect")
        assert len(starts(trial, "victim")) == 1, "the worker empties itself first"
        (trial.folder / "free-neighbour").touch()
        wait_for(lambda: len(starts(trial, "victim")) == 2, "the worker claims the suspect")
        assert starts(trial, "victim")[1].pid == second.process.pid
        second.kill()
        take_over(trial, consumer_of(second))

        third = trial.worker().ready()
        trial.until_drained()
        [dead_letter] = trial.dead()
        assert dead_letter["data"] == '{"id": "victim"}'
        assert (dead_letter["penstock-dead-reason"], dead_letter["penstock-dead-attempts"]) == ("lost", "2")
        assert len(starts(trial, "victim")) == 2, "it is not started again"
        until_counted(third, "dead", 1, reason="lost")
        [death] = third.events(Event.MESSAGE_DEAD)
        assert (death["correlation"], death["reason"], death["attempt"]) == ("victim", "lost", 2)
        assert trial.ask("XRANGE", DEAD, death["dead_letter"], death["dead_letter"]), "its dead letter"
        assert third.end() == 0
        trial.assert_nothing_left()


def test_no_message_runs_with_an_additional_attempt(make_trial: Callable[..., Trial]) -> None:
    """Nothing new starts in that worker during the attempt; afterwards it continues."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        first = trial.worker().ready()
        trial.send([{"id": "victim"}])
        wait_for(lambda: starts(trial, "victim"), "the message runs")
        first.kill()
        take_over(trial, consumer_of(first))
        second = trial.worker()
        wait_for(lambda: len(starts(trial, "victim")) == 2, "the suspect runs alone")
        trial.send({"id": f"m{number}"} for number in range(5))
        for number in range(5):
            (trial.folder / f"free-m{number}").touch()
        third = trial.worker().ready()
        wait_for(lambda: len(by_message(read(trial.ledger), "end")) == 5, "another worker runs the others")
        assert {line.worker for line in read(trial.ledger) if line.message != "victim"} == {third.name}
        assert third.end() == 0
        (trial.folder / "free-victim").touch()
        trial.until_drained()
        trial.send([{"id": "m0"}])
        trial.until_drained()
        assert {line.worker for line in by_message(read(trial.ledger), "end")["m0"]} == {third.name, second.name}
        assert trial.dead() == []
        assert second.end() == 0
        trial.assert_nothing_left()


def test_a_worker_reads_again_when_the_suspect_is_gone(make_trial: Callable[..., Trial]) -> None:
    """A worker that empties itself for a suspect reads again when the suspect disappears."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        first = trial.worker().ready()
        trial.send([{"id": "victim"}])
        wait_for(lambda: starts(trial, "victim"), "the message runs")
        first.kill()
        second = trial.worker().ready()
        trial.send([{"id": "neighbour"}])
        wait_for(lambda: starts(trial, "neighbour"), "the second worker runs another message")
        take_over(trial, consumer_of(first))
        before = numbers(second).of("redis")
        wait_for(lambda: numbers(second).of("redis") > before + 5, "the worker has seen the suspect")
        [entry] = [one_[0] for one_ in trial.ask("XPENDING", KEY, "trial", "-", "+", 10, "~suspect")]  # type: ignore[union-attr,index] # as Redis answers
        trial.ask("XACK", KEY, "trial", str(entry))
        trial.ask("XDEL", KEY, str(entry))
        (trial.folder / "free-next").touch()
        trial.send([{"id": "next"}])
        wait_for(lambda: "next" in by_message(read(trial.ledger), "end"), "the worker reads again")
        assert "neighbour" not in by_message(read(trial.ledger), "end")
        (trial.folder / "free-neighbour").touch()
        trial.until_drained()
        assert second.end() == 0


def test_one_worker_empties_itself_and_the_others_continue(make_trial: Callable[..., Trial]) -> None:
    """Of two busy workers, one empties itself for a message that must run alone; the other continues."""
    roomy = SPEC.replace("4", "64")  # the first reader may get several, and must not be full when the other stops
    with make_trial(handlers=HANDLERS, spec=roomy) as trial:
        first = trial.worker().ready()
        trial.send([{"id": "victim"}])
        wait_for(lambda: starts(trial, "victim"), "the message runs")
        first.kill()
        busy = [trial.worker().ready() for _ in range(2)]
        long: list[str] = []
        while {line.worker for line in read(trial.ledger)} < {first.name, *(worker.name for worker in busy)}:
            long.append(f"long-{len(long)}")
            trial.send([{"id": long[-1]}])
            wait_for(lambda: starts(trial, long[-1]), "the message runs")
        take_over(trial, consumer_of(first))
        position = f"{{{KEY}}}:trial:position"
        wait_for(lambda: trial.ask("HGET", position, "emptying") is not None, "one worker empties itself")

        names = [f"short-{number}" for number in range(20)]
        for name in names:
            (trial.folder / f"free-{name}").touch()
        trial.send({"id": name} for name in names)
        wait_for(lambda: trial.left() == 1 + len(long), "all other messages are done")
        [running] = {line.worker for name in names for line in starts(trial, name)}
        assert len(starts(trial, "victim")) == 1

        blocking = [name for name in long if starts(trial, name)[0].worker != running]
        for name in ("victim", *blocking):  # the other worker stays busy, or it might be empty first
            (trial.folder / f"free-{name}").touch()
        wait_for(lambda: len(starts(trial, "victim")) == 2, "the empty worker runs the suspect")
        for name in long:
            (trial.folder / f"free-{name}").touch()
        trial.until_drained()
        assert {running, starts(trial, "victim")[1].worker} <= {worker.name for worker in busy}
        assert trial.ask("HGET", position, "emptying") is None
        for worker in busy:
            assert worker.end() == 0
        trial.assert_nothing_left()


THREADS = """\
import pathlib, time
import ledger
import penstock

def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if message["id"] == "bury":
        raise penstock.Bury("for good")
    while not pathlib.Path(f"free-{message['id']}").exists():
        time.sleep(0.02)
    ledger.note("end", message["id"], context.fence)
"""
LOSE = """\
redis.call('XADD', KEYS[1], '*', 'data', ARGV[2])
local reply = redis.call('XREADGROUP', 'GROUP', ARGV[1], 'gone', 'STREAMS', KEYS[1], '>')
redis.call('XCLAIM', KEYS[1], ARGV[1], '~suspect', 0, reply[1][2][1][1], 'JUSTID')
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], 'gone')
"""
"""Adds a message whose worker was lost at once."""


def thread_without_end(trial: Trial, worker: Process) -> Callable[[], object]:
    """Start a thread that keeps its slot until it is released."""
    trial.send([{"id": "deaf"}])
    until_counted(worker, "abandoned", 1)
    return (trial.folder / "free-deaf").touch


def dead_letter_that_is_refused(trial: Trial, worker: Process) -> Callable[[], object]:
    """Let Redis refuse a dead letter, because another value has its key, until that is deleted."""
    trial.ask("SET", DEAD, "another value")
    trial.send([{"id": "bury"}])
    until_counted(worker, "unsettled", 1)
    wait_for(lambda: numbers(worker).of("redis_errors", kind="refused") > 0, "Redis refuses the step")
    return lambda: trial.ask("DEL", DEAD)


@pytest.mark.parametrize("fault", [thread_without_end, dead_letter_that_is_refused])
def test_a_worker_that_may_never_be_empty_continues(
    make_trial: Callable[..., Trial], fault: Callable[[Trial, Process], Callable[[], object]]
) -> None:
    """A slot that may never become free delays only the suspect, until it is free or another worker comes."""
    spec = "work: {concurrency: 4, lease: 60s, timeout: 5s, on_timeout: finish}\nretries: {attempts: 1}\n"
    with make_trial(handlers=THREADS, spec=spec) as trial:
        worker = trial.worker().ready()
        heal = fault(trial, worker)
        (trial.folder / "free-victim").touch()
        trial.ask("EVAL", LOSE, 1, KEY, "trial", '{"id": "victim"}')
        before = numbers(worker).of("redis")
        wait_for(lambda: numbers(worker).of("redis") > before + 5, "the worker has seen the suspect")
        (trial.folder / "free-next").touch()
        trial.send([{"id": "next"}])
        wait_for(lambda: "next" in by_message(read(trial.ledger), "end"), "the worker runs new messages")
        assert starts(trial, "victim") == []

        heal()
        trial.until_drained()
        assert [line.pid for line in starts(trial, "victim")] == [worker.process.pid], "it runs, in the end"
        assert worker.end() == 0
        trial.assert_nothing_left()


DEAF = """\
import asyncio, pathlib
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    while not pathlib.Path(f"free-{message['id']}").exists():
        try:
            await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            pass
    ledger.note("end", message["id"], context.fence)
"""


@pytest.mark.parametrize("handlers", [THREADS, DEAF], ids=["function", "coroutine"])
def test_a_handler_that_runs_on_after_it_ran_alone_ends_its_worker(
    make_trial: Callable[..., Trial], handlers: str
) -> None:
    """It may still crash the process, so nothing starts beside it; after `shutdown.margin` the worker exits with 70."""
    spec = "work: {concurrency: 4, lease: 60s, timeout: 2s}\nretries: {attempts: 1}\nshutdown: {margin: 5s}\n"
    with make_trial(handlers=handlers, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.ask("EVAL", LOSE, 1, KEY, "trial", '{"id": "victim"}')
        wait_for(lambda: starts(trial, "victim"), "the suspect runs alone")
        (trial.folder / "free-next").touch()
        trial.send([{"id": "next"}])
        until_counted(worker, "abandoned", 1)
        why = "not ready: a handler that must run alone ignores its cancellation\n"
        assert page(worker, "/readyz") == (503, why)
        assert worker.process.wait(PATIENCE) == 70
        assert starts(trial, "next") == []
        [stuck] = worker.events(Event.HANDLER_STUCK)
        assert stuck["margin"] == "5s"

        other = trial.worker().ready()
        trial.until_drained()
        assert [line.worker for line in starts(trial, "next")] == [other.name]
        [dead_letter] = trial.dead()
        assert dead_letter["penstock-dead-reason"] == "failed", "it was not lost: its worker has left the group"
        assert other.end() == 0
        trial.assert_nothing_left()


@pytest.mark.parametrize("handlers", [THREADS, DEAF], ids=["function", "coroutine"])
def test_a_handler_that_ends_late_after_it_ran_alone_frees_its_worker(
    make_trial: Callable[..., Trial], handlers: str
) -> None:
    """When it ends within `shutdown.margin`, the worker takes messages again."""
    spec = "work: {concurrency: 4, lease: 60s, timeout: 2s}\nretries: {attempts: 1}\nshutdown: {margin: 60s}\n"
    with make_trial(handlers=handlers, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.ask("EVAL", LOSE, 1, KEY, "trial", '{"id": "victim"}')
        until_counted(worker, "abandoned", 1)
        (trial.folder / "free-next").touch()
        trial.send([{"id": "next"}])
        (trial.folder / "free-victim").touch()
        trial.until_drained()
        assert [line.worker for line in starts(trial, "next")] == [worker.name]
        assert page(worker, "/readyz")[0] == 200
        [ended] = by_message(read(trial.ledger), "end")["victim"]
        assert read(trial.ledger).index(ended) < read(trial.ledger).index(starts(trial, "next")[0])
        assert worker.end() == 0
        trial.assert_nothing_left()


NO_FORK_SERVER = """\
import os, sys
import ledger

if "fork_server" in sys.argv[0]:
    os._exit(9)

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
"""


def test_a_suspect_runs_in_the_worker_if_no_child_starts(make_trial: Callable[..., Trial]) -> None:
    """The import fails in every fork server, for example because memory runs out; the suspect is done nevertheless."""
    with make_trial(handlers=NO_FORK_SERVER, spec="work: {concurrency: 4, lease: 60s}") as trial:
        worker = trial.worker().ready()
        trial.ask("EVAL", LOSE, 1, KEY, "trial", '{"id": "victim"}')
        trial.until_drained()
        assert [line.pid for line in starts(trial, "victim")] == [worker.process.pid]
        assert worker.events(Event.ISOLATION_FAILED)
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_more_suspects_run_at_a_time_with_each_round(make_trial: Callable[..., Trial]) -> None:
    """Eight at first, twice as many when these have ended without a crash: a lost worker's messages run again soon."""
    spec = "work: {concurrency: 30, lease: 60s}\nmessage: {correlate: id}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        first = trial.worker().ready()
        names = [f"m{number:02}" for number in range(24)]
        trial.send({"id": name} for name in names)
        wait_for(lambda: len(by_message(read(trial.ledger), "start")) == len(names), "all messages run")
        first.kill()
        second = trial.worker().ready()
        take_over(trial, consumer_of(first))

        def again() -> list[str]:
            return [name for name in names if len(starts(trial, name)) == 2]

        wait_for(lambda: len(again()) == FIRST, "the first suspects run")
        before = numbers(second).of("redis")
        wait_for(lambda: numbers(second).of("redis") > before + 5, "the worker asks for messages")
        assert len(again()) == FIRST, "the others wait"
        for name in again():
            (trial.folder / f"free-{name}").touch()
        wait_for(lambda: len(again()) == len(names), "all others run at a time")
        for name in names:
            (trial.folder / f"free-{name}").touch()
        trial.until_drained()
        assert trial.dead() == []
        assert second.end() == 0
        trial.assert_nothing_left()


def test_a_crash_halves_the_suspects_that_run_at_a_time() -> None:
    """Never below the first number, never above the most."""
    pace = SuspectPace()
    for _ in range(100):
        pace.ended(crashed=False)
    assert pace.most == MOST
    pace.ended(crashed=True)
    assert pace.most == MOST // 2
    for _ in range(100):
        pace.ended(crashed=True)
    assert pace.most == FIRST
