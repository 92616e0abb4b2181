"""A worker never takes more than it runs, and takes due messages in time."""

from collections.abc import Callable

from consumer_leases import lease_end, now, take_over
from http_probes import numbers, until_counted
from ledger import Line, by_message, read
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

PARKED = "{trial}:trial:parked"
HANDLERS = """\
import asyncio, pathlib
import ledger
import penstock

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if context.attempt == 1 and "after" in message:
        raise penstock.Retry(after=message["after"])
    if message["id"].startswith("slow"):
        while not pathlib.Path("released").exists():
            await asyncio.sleep(0.02)
    await asyncio.sleep(message.get("takes", 0))
    ledger.note("end", message["id"], context.fence)
"""


def most_at_once(lines: list[Line]) -> int:
    """The largest number of handlers that ran at the same time."""
    running = most = 0
    for line in sorted(lines, key=lambda one: one.at):
        running += {"start": 1, "end": -1}[line.what]
        most = max(most, running)
    return most


def test_it_never_exceeds_its_slots(trial: Callable[..., Trial]) -> None:
    """New, ready and suspect messages share them, and a slow one delays no other."""
    spec = "work: {concurrency: 5, lease: 10s}\nretries: {backoff: {first: 100ms}}\n"
    with trial(handlers=HANDLERS, spec=spec) as one:
        lost = one.worker().ready()
        [consumer] = one.live_consumers()
        one.send({"id": f"slow-again{number}", "after": 600} for number in range(8))
        wait_for(lambda: one.number("ZCARD", PARKED) == 8, "they wait for their time")
        one.send({"id": f"slow{number}"} for number in range(4))
        wait_for(lambda: len(read(one.ledger)) == 12, "four slow ones run")
        lost.kill()
        take_over(one, consumer)
        due = one.ask("ZRANGE", PARKED, 0, -1)
        assert isinstance(due, list)
        one.ask("ZADD", PARKED, *(part for entry in due for part in (0, str(entry))))
        worker = one.worker().ready()
        wait_for(
            lambda: len({line.pid for line in read(one.ledger) if line.worker == worker.name}) == 5, "all suspects run"
        )
        one.send({"id": f"new{number}", "takes": 0.01} for number in range(200))
        (one.folder / "released").touch()
        one.until_drained()
        runs = [line for line in read(one.ledger) if line.worker == worker.name]
        assert len(by_message(runs, "end")) == 212
        assert most_at_once(runs) == 5
        assert numbers(worker).by("delivered", "source") == {"new": 200, "ready": 8, "suspect": 4}
        assert worker.end() == 0
        one.assert_nothing_left()


def test_slow_handlers_block_nobody(trial: Callable[..., Trial]) -> None:
    """While they take two of four slots, the others are used again and again, and nothing is given back.

    Each renewal of the lease compares owned and running messages; those that end meanwhile are no strays.
    """
    spec = "work: {concurrency: 4, lease: 10s, block: 10s}\nretries: {backoff: {first: 100ms}}\n"
    with trial(handlers=HANDLERS, spec=spec) as one:
        worker = one.worker().ready()
        one.send([{"id": "slow1"}, {"id": "slow2"}])
        wait_for(lambda: len(read(one.ledger)) == 2, "it runs them")
        one.send({"id": f"m{number}"} for number in range(100))
        wait_for(lambda: len(by_message(read(one.ledger), "end")) == 100, "all others are done")
        [consumer] = one.live_consumers()
        renewals: set[float] = set()

        def goes_on() -> bool:
            """Messages come and go, two at a time, over two renewals."""
            renewals.add(lease_end(one, consumer))
            lines = read(one.ledger)
            if len(by_message(lines, "start")) == len(by_message(lines, "end")) + 2:
                one.send([{"id": f"more{len(lines)}", "takes": 0.3}])
            return len(renewals) > 2

        wait_for(goes_on, "the lease is renewed twice")
        assert not worker.events(Event.MESSAGES_GIVEN_BACK)
        (one.folder / "released").touch()
        one.until_drained()
        counts = numbers(worker)
        assert (counts.of("given_back"), counts.of("gone"), counts.of("fenced"), counts.of("redelivered")) == (
            0,
            0,
            0,
            0,
        )
        assert worker.end() == 0


def test_a_blocked_read_delays_no_due_message(trial: Callable[..., Trial]) -> None:
    """A retry and a delayed message arrive while the worker waits in a long read and there is no janitor."""
    with trial(handlers=HANDLERS, spec="work: {concurrency: 1, lease: 10s, block: 50s}\n") as one:
        worker = one.worker().ready()
        one.send([{"id": "again", "after": 0.5}])
        wait_for(lambda: by_message(read(one.ledger), "end"), "it is tried again")
        one.ask("EVAL", SEND, 3, "trial", "{trial}:delayed", "{trial}:bodies", now(one) + 500)
        wait_for(lambda: "later" in by_message(read(one.ledger), "end"), "it enters the stream, and runs")
        until_counted(worker, "promoted", 1, source="parked")
        until_counted(worker, "promoted", 1, source="delayed")
        assert worker.end() == 0


SEND = """
redis.call('HSET', KEYS[3], 'some-id', cmsgpack.pack({'data', '{"id": "later"}'}))
redis.call('ZADD', KEYS[2], ARGV[1], 'some-id')
"""


def test_too_many_parked_messages_stop_new_ones(trial: Callable[..., Trial]) -> None:
    """`work.max_pending_per_worker` counts running and parked ones; messages of others are still claimed."""
    spec = "work: {concurrency: 4, max_pending_per_worker: 6, lease: 10s}\n"
    with trial(handlers=HANDLERS, spec=spec) as one:
        worker = one.worker().ready()
        one.send({"id": f"later{number}", "after": 600} for number in range(6))
        wait_for(lambda: one.number("ZCARD", PARKED) == 6, "six wait for their time")
        until_counted(worker, "pending_limit_reached", 1)
        one.send({"id": f"new{number}"} for number in range(3))
        parked = one.ask("ZRANGE", PARKED, 0, 0)
        assert isinstance(parked, list)
        one.ask("ZADD", PARKED, 0, str(parked[0]))
        wait_for(lambda: by_message(read(one.ledger), "end"), "what is due is claimed")
        assert set(by_message(read(one.ledger), "end")) <= {f"later{number}" for number in range(6)}
        until_counted(worker, "slots_free", 4)
        wait_for(lambda: one.left() == 8, "what was due is done")
        assert not [line for line in read(one.ledger) if line.message.startswith("new")], "nothing new was read"
        other = one.worker().ready()
        wait_for(lambda: one.left() == 5, "another worker reads it")
        assert other.end() == 0
        assert worker.end() == 0
        until = [line.worker for line in read(one.ledger) if line.message.startswith("new")]
        assert set(until) == {other.name}


def test_it_reads_again_when_its_parked_messages_are_due(trial: Callable[..., Trial]) -> None:
    """The limit ends when they are due, not when they are done."""
    spec = "work: {concurrency: 2, max_pending_per_worker: 3, lease: 10s}\n"
    with trial(handlers=HANDLERS, spec=spec) as one:
        worker = one.worker().ready()
        one.send({"id": f"later{number}", "after": 8} for number in range(3))
        one.send({"id": f"new{number}"} for number in range(20))
        until_counted(worker, "pending_limit_reached", 1)
        one.until_drained()
        until_counted(worker, "pending_limit_reached", 0)
        assert len(by_message(read(one.ledger), "end")) == 23
        assert worker.end() == 0
        one.assert_nothing_left()
