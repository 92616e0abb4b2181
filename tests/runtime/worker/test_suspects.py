"""Messages whose workers were lost."""

from collections.abc import Callable

import pytest
from consumer_leases import take_over
from http_probes import numbers, until_counted
from ledger import Line, by_message, read
from pipelines import DEAD, KEY, Process, Trial
from servers import wait_for

from penstock.observe.events import Event

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


def starts(one: Trial, name: str) -> list[Line]:
    return by_message(read(one.ledger), "start").get(name, [])


def consumer_of(worker: Process) -> str:
    """Its name in the group."""
    [consumer] = {str(line["consumer"]) for line in worker.events(Event.CONSUMER_JOINED)}
    return consumer


def test_a_suspect_gets_one_additional_attempt_alone(trial: Callable[..., Trial]) -> None:
    """After its last attempt was lost, a message runs once more, isolated, with nothing beside it.

    Lost in that too it is dead, with its story; messages that only ran beside it survive.
    """
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        first = one.worker().ready()
        one.send([{"id": "victim"}])
        wait_for(lambda: starts(one, "victim"), "it runs")
        first.kill()
        second = one.worker().ready()
        one.send([{"id": "neighbour"}])
        wait_for(lambda: starts(one, "neighbour"), "the second worker has started with something else")
        take_over(one, consumer_of(first))
        asked = numbers(second).of("redis")
        wait_for(lambda: numbers(second).of("redis") > asked + 5, "it has seen the suspect")
        assert len(starts(one, "victim")) == 1, "it empties itself first"
        (one.folder / "free-neighbour").touch()
        wait_for(lambda: len(starts(one, "victim")) == 2, "and then claims it")
        assert starts(one, "victim")[1].pid != second.process.pid
        second.kill()
        take_over(one, consumer_of(second))

        third = one.worker().ready()
        one.until_drained()
        [letter] = one.dead()
        assert letter["data"] == '{"id": "victim"}'
        assert (letter["penstock-dead-reason"], letter["penstock-dead-attempts"]) == ("lost", "2")
        assert len(starts(one, "victim")) == 2, "it is not started again"
        until_counted(third, "dead", 1, reason="lost")
        [death] = third.events(Event.MESSAGE_DEAD)
        assert (death["correlation"], death["reason"], death["attempt"]) == ("victim", "lost", 2)
        assert one.ask("XRANGE", DEAD, death["dead_letter"], death["dead_letter"]), "its dead letter"
        assert third.end() == 0
        one.assert_nothing_left()


def test_nothing_runs_beside_an_additional_attempt(trial: Callable[..., Trial]) -> None:
    """Meanwhile nothing new starts in that worker; then all goes on."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        first = one.worker().ready()
        one.send([{"id": "victim"}])
        wait_for(lambda: starts(one, "victim"), "it runs")
        first.kill()
        take_over(one, consumer_of(first))
        second = one.worker()
        wait_for(lambda: len(starts(one, "victim")) == 2, "it runs alone")
        one.send({"id": f"m{number}"} for number in range(5))
        for number in range(5):
            (one.folder / f"free-m{number}").touch()
        third = one.worker().ready()
        wait_for(lambda: len(by_message(read(one.ledger), "end")) == 5, "another worker runs the others")
        assert {line.worker for line in read(one.ledger) if line.message != "victim"} == {third.name}
        assert third.end() == 0
        (one.folder / "free-victim").touch()
        one.until_drained()
        one.send([{"id": "m0"}])
        one.until_drained()
        assert {line.worker for line in by_message(read(one.ledger), "end")["m0"]} == {third.name, second.name}
        assert one.dead() == []
        assert second.end() == 0
        one.assert_nothing_left()


def test_it_reads_again_when_the_suspect_is_gone(trial: Callable[..., Trial]) -> None:
    """A worker that was emptying itself for a suspect reads again when there is none any more."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        first = one.worker().ready()
        one.send([{"id": "victim"}])
        wait_for(lambda: starts(one, "victim"), "it runs")
        first.kill()
        second = one.worker().ready()
        one.send([{"id": "neighbour"}])
        wait_for(lambda: starts(one, "neighbour"), "the second worker has started with something else")
        take_over(one, consumer_of(first))
        asked = numbers(second).of("redis")
        wait_for(lambda: numbers(second).of("redis") > asked + 5, "it has seen the suspect")
        [entry] = [one_[0] for one_ in one.ask("XPENDING", KEY, "trial", "-", "+", 10, "~suspect")]  # type: ignore[union-attr,index] # as Redis answers
        one.ask("XACK", KEY, "trial", str(entry))
        one.ask("XDEL", KEY, str(entry))
        (one.folder / "free-next").touch()
        one.send([{"id": "next"}])
        wait_for(lambda: "next" in by_message(read(one.ledger), "end"), "it reads again")
        assert "neighbour" not in by_message(read(one.ledger), "end")
        (one.folder / "free-neighbour").touch()
        one.until_drained()
        assert second.end() == 0


def test_one_worker_empties_itself_and_the_others_go_on(trial: Callable[..., Trial]) -> None:
    """A message that must run alone stops no fleet: of two busy workers one waits for it, the other goes on."""
    roomy = SPEC.replace("4", "64")  # whichever reads first may read several; it must not be full when the other leaves
    with trial(handlers=HANDLERS, spec=roomy) as one:
        first = one.worker().ready()
        one.send([{"id": "victim"}])
        wait_for(lambda: starts(one, "victim"), "it runs")
        first.kill()
        busy = [one.worker().ready() for _ in range(2)]
        long: list[str] = []
        while {line.worker for line in read(one.ledger)} < {first.name, *(worker.name for worker in busy)}:
            long.append(f"long-{len(long)}")
            one.send([{"id": long[-1]}])
            wait_for(lambda: starts(one, long[-1]), "it runs")
        take_over(one, consumer_of(first))
        position = f"{{{KEY}}}:trial:position"
        wait_for(lambda: one.ask("HGET", position, "emptying") is not None, "one of them empties itself")

        names = [f"short-{number}" for number in range(20)]
        for name in names:
            (one.folder / f"free-{name}").touch()
        one.send({"id": name} for name in names)
        wait_for(lambda: one.left() == 1 + len(long), "all else is done")
        [doing] = {line.worker for name in names for line in starts(one, name)}
        assert len(starts(one, "victim")) == 1

        mine = [name for name in long if starts(one, name)[0].worker != doing]
        for name in ("victim", *mine):  # the other is never idle meanwhile, or it might be the first that is empty
            (one.folder / f"free-{name}").touch()
        wait_for(lambda: len(starts(one, "victim")) == 2, "it is empty, and runs what it waited for")
        for name in long:
            (one.folder / f"free-{name}").touch()
        one.until_drained()
        assert {doing, starts(one, "victim")[1].worker} <= {worker.name for worker in busy}
        assert one.ask("HGET", position, "emptying") is None
        for worker in busy:
            assert worker.end() == 0
        one.assert_nothing_left()


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
local told = redis.call('XREADGROUP', 'GROUP', ARGV[1], 'gone', 'STREAMS', KEYS[1], '>')
redis.call('XCLAIM', KEYS[1], ARGV[1], '~suspect', 0, told[1][2][1][1], 'JUSTID')
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], 'gone')
"""
"""A message whose worker was lost at once."""


def thread_without_end(one: Trial, worker: Process) -> Callable[[], object]:
    """A thread that keeps its slot for ever."""
    one.send([{"id": "deaf"}])
    until_counted(worker, "abandoned", 1)
    return (one.folder / "free-deaf").touch


def dead_letter_that_is_refused(one: Trial, worker: Process) -> Callable[[], object]:
    """Another value has its key, until somebody deletes that."""
    one.ask("SET", DEAD, "somebody's mistake")
    one.send([{"id": "bury"}])
    until_counted(worker, "unsettled", 1)
    wait_for(lambda: numbers(worker).of("redis_errors", kind="refused") > 0, "it is refused")
    return lambda: one.ask("DEL", DEAD)


@pytest.mark.parametrize("fault", [thread_without_end, dead_letter_that_is_refused])
def test_a_worker_that_may_never_be_empty_goes_on(
    trial: Callable[..., Trial], fault: Callable[[Trial, Process], Callable[[], object]]
) -> None:
    """A slot that may be taken for ever delays only what must run alone, until it is free or another worker comes."""
    spec = "work: {concurrency: 4, lease: 60s, timeout: 5s, on_timeout: finish}\nretries: {attempts: 1}\n"
    with trial(handlers=THREADS, spec=spec) as one:
        worker = one.worker().ready()
        heal = fault(one, worker)
        (one.folder / "free-victim").touch()
        one.ask("EVAL", LOSE, 1, KEY, "trial", '{"id": "victim"}')
        asked = numbers(worker).of("redis")
        wait_for(lambda: numbers(worker).of("redis") > asked + 5, "it has seen the suspect")
        (one.folder / "free-next").touch()
        one.send([{"id": "next"}])
        wait_for(lambda: "next" in by_message(read(one.ledger), "end"), "it does what is new")
        assert starts(one, "victim") == []

        heal()
        one.until_drained()
        assert [line.pid != worker.process.pid for line in starts(one, "victim")] == [True], "isolated, in the end"
        assert worker.end() == 0
        one.assert_nothing_left()
