"""Others may change the stream and its group while a worker runs."""

from collections import Counter
from collections.abc import Callable

from http_probes import numbers, until_counted
from ledger import read
from pipelines import KEY, Process, Trial
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, pathlib
import ledger
import penstock

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if message["id"].startswith("parks") and context.fence == 1:
        raise penstock.Retry(after=600)
    while message["id"].startswith("held") and not pathlib.Path("released").exists():
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.005)
    ledger.note("end", message["id"], context.fence)
"""
SPEC = "work: {concurrency: 4, lease: 10s, block: 1s}\n"
PARKED = "{trial}:trial:parked"


def done(one: Trial) -> Counter[str]:
    return Counter(line.message for line in read(one.ledger) if line.what == "end")


def goes_on(one: Trial, name: str) -> None:
    """A message that is sent now is done, and nothing is left."""
    one.send([{"id": name}])
    wait_for(lambda: name in done(one), f"{name} is done")


def janitor(one: Trial) -> Process:
    return one.start("janitor", "--redis", one.target.url, "--listen", "127.0.0.1:0")


def test_the_worker_survives_deleted_keys(trial: Callable[..., Trial]) -> None:
    """Its consumer, the stream, everything: it goes on, and runs messages that are sent from then on.

    The janitor brings back messages that are sent before the group exists again.
    """
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        tidies = janitor(one)
        goes_on(one, "m0")
        one.until_drained()

        [consumer] = one.live_consumers()
        one.ask("XGROUP", "DELCONSUMER", KEY, "trial", consumer)
        goes_on(one, "m1")

        one.send([{"id": "held1"}])
        wait_for(lambda: read(one.ledger)[-1].message == "held1", "it runs")
        one.ask("DEL", KEY)
        goes_on(one, "m2")
        assert numbers(worker).of("lease_lost") >= 1
        (one.folder / "released").touch()
        until_counted(worker, "running", 0)

        one.target.flush()
        goes_on(one, "m3")
        one.ask("SET", KEY, "somebody's mistake")
        wait_for(lambda: numbers(worker).of("redis_errors", kind="refused") > 0, "it is refused")
        one.ask("DEL", KEY)
        goes_on(one, "m4")
        one.until_drained()
        assert tidies.end() == 0
        assert {name: count for name, count in done(one).items() if name.startswith("m")} == {
            f"m{number}": 1 for number in range(5)
        }
        assert one.dead() == []
        assert worker.end() == 0
        one.assert_nothing_left()


def test_a_group_that_vanishes_under_load_loses_nothing(trial: Callable[..., Trial]) -> None:
    """It is created again, and the janitor brings back the rest: all messages are done, and no fence is used twice."""
    names = [f"m{number}" for number in range(400)]
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        janitor(one)
        one.send({"id": name} for name in names)
        wait_for(lambda: len(done(one)) > 20, "it works")
        one.ask("XGROUP", "DESTROY", KEY, "trial")
        wait_for(lambda: set(done(one)) == set(names), "all are done", 60)
        one.until_drained()
        fences = [(line.message, line.fence) for line in read(one.ledger) if line.what == "start"]
        assert len(fences) == len(set(fences))
        assert one.dead() == []
        assert worker.end() == 0
        one.assert_nothing_left()


def test_deleted_consumers_lose_no_messages(trial: Callable[..., Trial]) -> None:
    """Somebody deletes idle consumers, `~parked` and the worker among them: the janitor brings their messages back."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        one.send([{"id": "parks1"}, {"id": "held1"}])
        wait_for(lambda: one.number("ZCARD", PARKED) == 1, "one is parked")
        wait_for(lambda: len(read(one.ledger)) == 2, "the other runs")
        one.ask("XGROUP", "DELCONSUMER", KEY, "trial", "~parked")
        [consumer] = one.live_consumers()
        one.ask("XGROUP", "DELCONSUMER", KEY, "trial", consumer)
        (one.folder / "released").touch()
        until_counted(worker, "gone", 1, step="settle")
        janitor(one)
        one.until_drained()
        assert done(one) == {"parks1": 1, "held1": 2}, "at least once: its settle came too late"
        assert one.dead() == []
        assert worker.end() == 0
        one.assert_nothing_left()


def test_deleted_entries_are_counted_and_block_nothing(trial: Callable[..., Trial]) -> None:
    """They are lost, and the log says so."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker().ready()
        one.send([{"id": "parks1"}, {"id": "parks2"}])
        wait_for(lambda: one.number("ZCARD", PARKED) == 2, "both are parked")
        reply = one.ask("ZRANGE", PARKED, 0, -1)
        assert isinstance(reply, list)
        first, second = map(str, reply)
        one.ask("XDEL", KEY, first)
        one.ask("ZADD", PARKED, 0, first, 0, second)
        one.until_drained()
        until_counted(worker, "lost", 1, how="deleted")
        assert [(line["level"], line["count"]) for line in worker.events(Event.MESSAGES_LOST)] == [("ERROR", 1)]
        assert sum(done(one).values()) == 1
        assert worker.end() == 0
        one.assert_nothing_left()


def test_entries_stay_while_another_group_exists(trial: Callable[..., Trial]) -> None:
    """They are acknowledged, and deleted once the other group is gone."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        one.ask("XGROUP", "CREATE", KEY, "audit", "0", "MKSTREAM")
        worker = one.worker().ready()
        goes_on(one, "m0")
        until_counted(worker, "done", 1)
        one.assert_nothing_left()
        assert one.left() == 1
        one.ask("XGROUP", "DESTROY", KEY, "audit")
        goes_on(one, "m1")
        until_counted(worker, "done", 2)
        assert one.left() == 1, "the janitor knows of the other"
        assert worker.end() == 0


def test_history_is_kept(trial: Callable[..., Trial]) -> None:
    """`keep: {length: 1000}`: settled messages are acknowledged, and stay in the stream."""
    spec = "stream: {key: trial, group: trial, retention: {keep: {length: 1000}}}\n" + SPEC
    with trial(handlers=HANDLERS, spec=spec) as one:
        worker = one.worker().ready()
        one.send({"id": f"m{number}"} for number in range(20))
        until_counted(worker, "done", 20)
        one.assert_nothing_left()
        assert one.left() == 20
        assert worker.end() == 0
        second = one.worker().ready()
        goes_on(one, "more")
        assert max(done(one).values()) == 1
        assert second.end() == 0
