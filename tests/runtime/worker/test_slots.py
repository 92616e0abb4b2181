"""A worker never claims more messages than it runs, and claims due messages in time."""

from collections.abc import Callable

from consumer_leases import lease_end, now, take_over
from http_probes import numbers, page, until_counted
from ledger import Line, by_message, read
from pipelines import DEAD, Trial
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


def test_a_worker_never_exceeds_its_slots(make_trial: Callable[..., Trial]) -> None:
    """New, ready and suspect messages share the slots, and a slow one delays no other."""
    spec = "work: {concurrency: 5, lease: 10s}\nretries: {backoff: {first: 100ms}}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        lost = trial.worker().ready()
        [consumer] = trial.live_consumers()
        trial.send({"id": f"slow-again{number}", "after": 600} for number in range(8))
        wait_for(lambda: trial.number("ZCARD", PARKED) == 8, "the messages are parked")
        trial.send({"id": f"slow{number}"} for number in range(4))
        wait_for(lambda: len(read(trial.ledger)) == 12, "four slow messages run")
        lost.kill()
        take_over(trial, consumer)
        due = trial.ask("ZRANGE", PARKED, 0, -1)
        assert isinstance(due, list)
        trial.ask("ZADD", PARKED, *(part for entry in due for part in (0, str(entry))))
        worker = trial.worker().ready()
        wait_for(
            lambda: len({line.pid for line in read(trial.ledger) if line.worker == worker.name}) == 5,
            "all suspects run",
        )
        trial.send({"id": f"new{number}", "takes": 0.01} for number in range(200))
        (trial.folder / "released").touch()
        trial.until_drained()
        runs = [line for line in read(trial.ledger) if line.worker == worker.name]
        assert len(by_message(runs, "end")) == 212
        assert most_at_once(runs) == 5
        assert numbers(worker).by("delivered", "source") == {"new": 200, "ready": 8, "suspect": 4}
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_slow_handlers_block_no_other_message(make_trial: Callable[..., Trial]) -> None:
    """While they use two of four slots, other messages use the rest, and none is given back.

    Each renewal of the lease compares owned and running messages; it ignores those that end meanwhile.
    """
    spec = "work: {concurrency: 4, lease: 10s, block: 10s}\nretries: {backoff: {first: 100ms}}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "slow1"}, {"id": "slow2"}])
        wait_for(lambda: len(read(trial.ledger)) == 2, "the worker runs the slow messages")
        trial.send({"id": f"m{number}"} for number in range(100))
        wait_for(lambda: len(by_message(read(trial.ledger), "end")) == 100, "all others are done")
        [consumer] = trial.live_consumers()
        renewals: set[float] = set()

        def send_over_two_renewals() -> bool:
            """Keep two messages running until the lease was renewed twice."""
            renewals.add(lease_end(trial, consumer))
            lines = read(trial.ledger)
            if len(by_message(lines, "start")) == len(by_message(lines, "end")) + 2:
                trial.send([{"id": f"more{len(lines)}", "takes": 0.3}])
            return len(renewals) > 2

        wait_for(send_over_two_renewals, "the lease is renewed twice")
        assert not worker.events(Event.MESSAGES_GIVEN_BACK)
        (trial.folder / "released").touch()
        trial.until_drained()
        counts = numbers(worker)
        assert (counts.of("given_back"), counts.of("gone"), counts.of("fenced"), counts.of("redelivered")) == (
            0,
            0,
            0,
            0,
        )
        assert worker.end() == 0


def test_a_blocked_read_delays_no_due_message(make_trial: Callable[..., Trial]) -> None:
    """A retry and a delayed message run on time during a long read, even without a janitor."""
    with make_trial(handlers=HANDLERS, spec="work: {concurrency: 1, lease: 10s, block: 50s}\n") as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "again", "after": 0.5}])
        wait_for(lambda: by_message(read(trial.ledger), "end"), "the message is retried")
        trial.ask("EVAL", SEND, 3, "trial", "{trial}:delayed", "{trial}:bodies", now(trial) + 500)
        wait_for(lambda: "later" in by_message(read(trial.ledger), "end"), "the delayed message runs")
        until_counted(worker, "promoted", 1, source="parked")
        until_counted(worker, "promoted", 1, source="delayed")
        assert worker.end() == 0


SEND = """
redis.call('HSET', KEYS[3], 'some-id', cmsgpack.pack({'data', '{"id": "later"}'}))
redis.call('ZADD', KEYS[2], ARGV[1], 'some-id')
"""


def test_too_many_parked_messages_stop_new_ones(make_trial: Callable[..., Trial]) -> None:
    """`work.max_pending_per_worker` counts running and parked messages; the worker still claims due ones."""
    spec = "work: {concurrency: 4, max_pending_per_worker: 6, lease: 60s}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send({"id": f"later{number}", "after": 600} for number in range(6))
        wait_for(lambda: trial.number("ZCARD", PARKED) == 6, "six messages are parked")
        until_counted(worker, "pending_limit_reached", 1)
        trial.send({"id": f"new{number}"} for number in range(3))
        parked = trial.ask("ZRANGE", PARKED, 0, 0)
        assert isinstance(parked, list)
        trial.ask("ZADD", PARKED, 0, str(parked[0]))
        wait_for(lambda: by_message(read(trial.ledger), "end"), "the due message is claimed")
        assert set(by_message(read(trial.ledger), "end")) <= {f"later{number}" for number in range(6)}
        until_counted(worker, "slots_free", 4)
        wait_for(lambda: trial.left() == 8, "the due message is done")
        assert not [line for line in read(trial.ledger) if line.message.startswith("new")], "nothing new was read"
        other = trial.worker().ready()
        wait_for(lambda: trial.left() == 5, "another worker reads it")
        assert other.end() == 0
        assert worker.end() == 0
        readers = [line.worker for line in read(trial.ledger) if line.message.startswith("new")]
        assert set(readers) == {other.name}


def test_a_worker_reads_again_when_its_parked_messages_are_due(make_trial: Callable[..., Trial]) -> None:
    """They count for the limit until they are due, not until they are done."""
    spec = "work: {concurrency: 2, max_pending_per_worker: 3, lease: 10s}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send({"id": f"later{number}", "after": 8} for number in range(3))
        trial.send({"id": f"new{number}"} for number in range(20))
        until_counted(worker, "pending_limit_reached", 1)
        trial.until_drained()
        until_counted(worker, "pending_limit_reached", 0)
        assert len(by_message(read(trial.ledger), "end")) == 23
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_parked_messages_do_not_stop_new_ones(make_trial: Callable[..., Trial]) -> None:
    """Without `work.max_pending_per_worker`, they count for the pipeline, however many one worker has parked."""
    with make_trial(handlers=HANDLERS, spec="work: {concurrency: 4, lease: 10s}\n") as trial:
        worker = trial.worker().ready()
        trial.send({"id": f"later{number}", "after": 1800} for number in range(300))
        wait_for(lambda: trial.number("ZCARD", PARKED) == 300, "the messages are parked")
        trial.send({"id": f"new{number}"} for number in range(12))
        wait_for(lambda: len(by_message(read(trial.ledger), "end")) == 12, "all new messages are done")
        wait_for(lambda: trial.left() == 300, "they are settled")
        assert numbers(worker).of("pending_limit_reached") == 0
        assert worker.end() == 0


def test_refused_dead_letters_do_not_stop_good_messages(make_trial: Callable[..., Trial]) -> None:
    """Refused as often as there are slots, they are told, and messages behind them run; none is lost."""
    handlers = HANDLERS.replace(
        '    if message["id"].startswith("slow")', BURYING + '    if message["id"].startswith("slow")'
    )
    with make_trial(handlers=handlers, spec="work: {concurrency: 4, lease: 10s}\n") as trial:
        trial.ask("SET", DEAD, "of another program")
        worker = trial.worker().ready()
        trial.send({"id": f"bad{number}"} for number in range(4))
        until_counted(worker, "refused", 4)
        assert page(worker, "/readyz") == (503, "not ready: Redis does not accept results\n")
        trial.send({"id": f"good{number}"} for number in range(12))
        wait_for(lambda: len(by_message(read(trial.ledger), "end")) == 12, "good messages run")
        wait_for(lambda: trial.left() == 4, "they are settled")
        trial.ask("DEL", DEAD)
        trial.until_drained()
        assert len(trial.dead()) == 4
        wait_for(lambda: page(worker, "/readyz")[0] == 200, "it is ready again")
        assert worker.end() == 0
        trial.assert_nothing_left()


BURYING = """\
    if message["id"].startswith("bad"):
        raise penstock.Bury("for the test")
"""
STORM = """\
import asyncio
import ledger
import penstock

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    await asyncio.sleep(0.02)
    if message["id"].startswith("storm"):
        raise penstock.Retry(after=0.05)
    ledger.note("end", message["id"], context.fence)
"""


def test_new_messages_get_a_share_in_a_retry_storm(make_trial: Callable[..., Trial]) -> None:
    """While more messages are ready than the worker has slots, new ones run beside them, and ready ones go on."""
    spec = "work: {concurrency: 4, lease: 10s}\nretries: {attempts: 1000, backoff: {first: 50ms, limit: 50ms}}\n"
    with make_trial(handlers=STORM, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send({"id": f"storm{number}"} for number in range(400))
        wait_for(lambda: numbers(worker).of("delivered", source="ready") > 400, "the storm goes on")
        trial.send({"id": f"new{number}"} for number in range(60))
        wait_for(lambda: len(by_message(read(trial.ledger), "end")) == 60, "all new messages are done")
        lines = read(trial.ledger)
        ends = [line.at for line in lines if line.what == "end"]
        between = [line for line in lines if line.what == "start" and min(ends) <= line.at <= max(ends)]
        ready = sum(line.message.startswith("storm") for line in between)
        assert ready >= len(between) / 2, "ready messages have the larger share"
        wait_for(lambda: trial.left() == 400, "they are settled")
