"""A worker survives when foreign clients change the stream and its group."""

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
POSITION = "{trial}:trial:position"


def done(trial: Trial) -> Counter[str]:
    return Counter(line.message for line in read(trial.ledger) if line.what == "end")


def assert_runs(trial: Trial, name: str) -> None:
    """Send a message and wait until it is done."""
    trial.send([{"id": name}])
    wait_for(lambda: name in done(trial), f"{name} is done")


def janitor(trial: Trial) -> Process:
    return trial.start("janitor", "--redis", trial.target.url, "--listen", "127.0.0.1:0")


def test_the_worker_survives_deleted_keys(make_trial: Callable[..., Trial]) -> None:
    """After its consumer, the stream, or everything is deleted, the worker runs the messages that are sent later.

    The janitor brings back messages that are sent before the group exists again.
    """
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        maintainer = janitor(trial)
        assert_runs(trial, "m0")
        trial.until_drained()

        [consumer] = trial.live_consumers()
        trial.ask("XGROUP", "DELCONSUMER", KEY, "trial", consumer)
        assert_runs(trial, "m1")

        trial.send([{"id": "held1"}])
        wait_for(lambda: read(trial.ledger)[-1].message == "held1", "the message runs")
        trial.ask("DEL", KEY)
        assert_runs(trial, "m2")
        assert numbers(worker).of("lease_lost") >= 1
        (trial.folder / "released").touch()
        until_counted(worker, "running", 0)

        trial.target.flush()
        assert_runs(trial, "m3")
        trial.ask("SET", KEY, "another value")
        wait_for(lambda: numbers(worker).of("redis_errors", kind="refused") > 0, "Redis refuses the step")
        trial.ask("DEL", KEY)
        assert_runs(trial, "m4")
        trial.until_drained()
        assert maintainer.end() == 0
        assert {name: count for name, count in done(trial).items() if name.startswith("m")} == {
            f"m{number}": 1 for number in range(5)
        }
        assert trial.dead() == []
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_a_group_deleted_under_load_loses_nothing(make_trial: Callable[..., Trial]) -> None:
    """A worker creates the group again, and the janitor brings back the rest: all are done, no fence is used twice."""
    names = [f"m{number}" for number in range(400)]
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        janitor(trial)
        trial.send({"id": name} for name in names)
        wait_for(lambda: len(done(trial)) > 20, "the worker runs messages")
        trial.ask("XGROUP", "DESTROY", KEY, "trial")
        wait_for(lambda: set(done(trial)) == set(names), "all are done", 60)
        trial.until_drained()
        fences = [(line.message, line.fence) for line in read(trial.ledger) if line.what == "start"]
        assert len(fences) == len(set(fences))
        assert trial.dead() == []
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_the_fence_of_a_running_handler_stays(make_trial: Callable[..., Trial]) -> None:
    """A deleted consumer gets the message again while its handler runs: the handler keeps its token, and settles."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "held1"}])
        wait_for(lambda: len(read(trial.ledger)) == 1, "the message runs")
        [consumer] = trial.live_consumers()
        trial.ask("XGROUP", "DELCONSUMER", KEY, "trial", consumer)
        janitor(trial)
        until_counted(worker, "redelivered", 1)
        (trial.folder / "released").touch()
        trial.until_drained()
        assert [(line.what, line.fence) for line in read(trial.ledger)] == [("start", 1), ("end", 1)]
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_deleted_due_times_block_no_worker(make_trial: Callable[..., Trial]) -> None:
    """The key of parked messages is deleted, so all are due: the worker that parked them reads new messages again."""
    spec = "work: {concurrency: 2, lease: 10s, block: 1s, max_pending_per_worker: 3}\n"
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": f"parks{number}"} for number in range(3)])
        until_counted(worker, "pending_limit_reached", 1)
        trial.ask("DEL", PARKED)
        janitor(trial)
        wait_for(lambda: sum(done(trial).values()) == 3, "the janitor made them due")
        assert_runs(trial, "new")
        trial.until_drained()
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_deleted_consumers_lose_no_messages(make_trial: Callable[..., Trial]) -> None:
    """After a foreign client deletes consumers, `~parked` included, the janitor brings their messages back."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "parks1"}, {"id": "held1"}])
        wait_for(lambda: trial.number("ZCARD", PARKED) == 1, "one message is parked")
        wait_for(lambda: len(read(trial.ledger)) == 2, "the other message runs")
        trial.ask("XGROUP", "DELCONSUMER", KEY, "trial", "~parked")
        [consumer] = trial.live_consumers()
        trial.ask("XGROUP", "DELCONSUMER", KEY, "trial", consumer)
        (trial.folder / "released").touch()
        until_counted(worker, "gone", 1, step="settle")
        janitor(trial)
        trial.until_drained()
        assert done(trial) == {"parks1": 1, "held1": 2}, "held1 runs twice: its settle came too late"
        assert trial.dead() == []
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_deleted_entries_are_counted_and_block_nothing(make_trial: Callable[..., Trial]) -> None:
    """The messages are lost, and the log reports it."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "parks1"}, {"id": "parks2"}])
        wait_for(lambda: trial.number("ZCARD", PARKED) == 2, "both are parked")
        reply = trial.ask("ZRANGE", PARKED, 0, -1)
        assert isinstance(reply, list)
        first, second = map(str, reply)
        trial.ask("XDEL", KEY, first)
        trial.ask("ZADD", PARKED, 0, first, 0, second)
        trial.until_drained()
        until_counted(worker, "lost", 1, how="deleted")
        assert [(line["level"], line["count"]) for line in worker.events(Event.MESSAGES_LOST)] == [("ERROR", 1)]
        assert sum(done(trial).values()) == 1
        assert worker.end() == 0
        trial.assert_nothing_left()


def test_entries_stay_while_another_group_exists(make_trial: Callable[..., Trial]) -> None:
    """Settling only acknowledges entries; once the other group is gone, it deletes them."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        trial.ask("XGROUP", "CREATE", KEY, "audit", "0", "MKSTREAM")
        worker = trial.worker().ready()
        assert_runs(trial, "m0")
        until_counted(worker, "done", 1)
        trial.assert_nothing_left()
        assert trial.left() == 1
        trial.ask("XGROUP", "DESTROY", KEY, "audit")
        assert_runs(trial, "m1")
        until_counted(worker, "done", 2)
        assert trial.left() == 1, "only the janitor knows of the other entry"
        assert worker.end() == 0


def test_history_is_kept(make_trial: Callable[..., Trial]) -> None:
    """With `keep: {length: 1000}`, settled messages are acknowledged and stay in the stream."""
    spec = "stream: {key: trial, group: trial, retention: {keep: {length: 1000}}}\n" + SPEC
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send({"id": f"m{number}"} for number in range(20))
        until_counted(worker, "done", 20)
        trial.assert_nothing_left()
        assert trial.left() == 20
        assert worker.end() == 0
        second = trial.worker().ready()
        assert_runs(trial, "more")
        assert max(done(trial).values()) == 1
        assert second.end() == 0


def test_a_first_attempt_in_a_history_survives_its_consumer_and_its_worker(make_trial: Callable[..., Trial]) -> None:
    """Its consumer is deleted: the worker owns the message again, with its fence. Others take over when it dies."""
    spec = "stream: {key: trial, group: trial, retention: {keep: {length: 1000}}}\n" + SPEC
    with make_trial(handlers=HANDLERS, spec=spec) as trial:
        worker = trial.worker().ready()
        janitor(trial)
        trial.send([{"id": "held1"}])
        wait_for(lambda: len(read(trial.ledger)) == 1, "the message runs")
        [consumer] = trial.live_consumers()
        trial.ask("XGROUP", "DELCONSUMER", KEY, "trial", consumer)

        def owned() -> list[object]:
            rows = trial.ask("XPENDING", KEY, "trial", "-", "+", 9)
            assert isinstance(rows, list)
            return [row[1::2] for row in rows if isinstance(row, list)]

        wait_for(lambda: owned() == [[consumer, 1]], "the worker owns it again", 30)
        worker.kill()
        (trial.folder / "released").touch()
        second = trial.worker().ready()
        wait_for(lambda: done(trial) == {"held1": 1}, "another worker runs it", 60)
        assert [line.fence for line in read(trial.ledger) if line.what == "start"] == [1, 2]
        assert trial.dead() == []
        assert second.end() == 0


KEPT = "stream: {key: trial, group: trial, retention: {keep: {length: 1000}}}\nwork: {lease: 30m, block: 1s}\n"
SET_BACK = (
    "redis.call('XGROUP', 'SETID', KEYS[1], 'trial', '0') return redis.call('XADD', KEYS[1], '*', 'data', ARGV[1])"
)


def test_a_message_sent_as_the_group_is_set_back_runs_at_once(make_trial: Callable[..., Trial]) -> None:
    """A read delivers it with finished ones, and starts none: the worker gives it back before the next renewal."""
    with make_trial(handlers=HANDLERS, spec=KEPT) as trial:
        worker = trial.worker().ready()
        maintainer = janitor(trial)
        trial.send({"id": f"m{number}"} for number in range(5))
        wait_for(lambda: len(done(trial)) == 5, "all are done")
        last = trial.ask("EVAL", "return redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][1]", 1, KEY)
        wait_for(lambda: trial.ask("HGET", POSITION, "covers") == last, "the janitor has recorded this")
        trial.ask("EVAL", SET_BACK, 1, KEY, '{"id": "m5"}')
        wait_for(lambda: "m5" in done(trial), "the new message is done")
        assert done(trial) == Counter(f"m{number}" for number in range(6))
        assert (maintainer.end(), worker.end()) == (0, 0)
