"""Messages whose workers were lost."""

from collections.abc import Callable

from ledger import Line, by_message, read
from lives import take_over
from pipelines import Process, Trial
from scraped import numbers, until_counted
from servers import wait_for

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
work: {concurrency: 4, lease: 10s}
retries: {attempts: 1}
"""


def starts(one: Trial, name: str) -> list[Line]:
    return by_message(read(one.ledger), "start").get(name, [])


def life(worker: Process) -> str:
    """Its name in the group."""
    [consumer] = {str(line["consumer"]) for line in worker.said("a life in the group begins")}
    return consumer


def test_the_last_loss(trial: Callable[..., Trial]) -> None:
    """After its last attempt was lost a message has one more, in a process of its own with nothing beside.

    Lost in that too it is dead, with its story; and those that only were in its company live.
    """
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        first = one.worker().ready()
        one.send([{"id": "victim"}])
        wait_for(lambda: starts(one, "victim"), "it runs")
        first.kill()
        second = one.worker().ready()
        one.send([{"id": "neighbour"}])
        wait_for(lambda: starts(one, "neighbour"), "the second worker has begun with something else")
        take_over(one, life(first))
        asked = numbers(second).of("redis")
        wait_for(lambda: numbers(second).of("redis") > asked + 5, "it has seen the suspect")
        assert len(starts(one, "victim")) == 1, "it empties itself first"
        (one.folder / "free-neighbour").touch()
        wait_for(lambda: len(starts(one, "victim")) == 2, "and then claims it")
        assert starts(one, "victim")[1].pid != second.process.pid
        second.kill()
        take_over(one, life(second))

        third = one.worker().ready()
        one.drained()
        [letter] = one.dead()
        assert letter["data"] == '{"id": "victim"}'
        assert (letter["penstock-dead-reason"], letter["penstock-dead-attempts"]) == ("lost", "2")
        assert len(starts(one, "victim")) == 2, "it is not begun again"
        until_counted(third, "dead", 1, reason="lost")
        assert third.end() == 0
        one.nothing_left_behind()


def test_nothing_runs_beside_it(trial: Callable[..., Trial]) -> None:
    """While it has its last chance, nothing new is begun in that worker; then all goes on."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        first = one.worker().ready()
        one.send([{"id": "victim"}])
        wait_for(lambda: starts(one, "victim"), "it runs")
        first.kill()
        take_over(one, life(first))
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
        one.drained()
        one.send([{"id": "m0"}])
        one.drained()
        assert {line.worker for line in by_message(read(one.ledger), "end")["m0"]} == {third.name, second.name}
        assert one.dead() == []
        assert second.end() == 0
        one.nothing_left_behind()
