"""settle and settle_with: a done message is acknowledged, and deleted unless another reader needs the entry."""

import pytest
from redis import Redis
from redis_state import KEYS
from servers import Server
from steps import DONE, GONE, Steps

from penstock.keys import READY


def test_a_settled_message_leaves_no_trace(steps: Steps) -> None:
    """It is not pending, not in the stream, and not in the side keys."""
    batch = steps.begin("worker", 3)
    steps.park(batch, uncharged=2, crashed=True)
    steps.promote()
    claims = steps.claim("worker")
    assert len(claims.claimed) == 3
    assert steps.settle(claims.deliveries) == [DONE] * 3
    assert (steps.pending(), steps.entries(), steps.uncharged(), steps.crashed()) == ({}, [], {}, {})


def test_settling_clears_only_its_own_side_keys(steps: Steps) -> None:
    """Entries of other messages stay."""
    done, kept = steps.begin("worker", 2)
    steps.give_back([done, kept])
    steps.ask("HSET", KEYS.crashed, done.id, "crash", kept.id, "crash")
    claims = steps.claim("worker", ready=1)
    assert claims.ids == [done.id]
    steps.settle(claims.deliveries)
    assert steps.uncharged() == {kept.id: 1}
    assert steps.crashed() == {kept.id: "crash"}


def test_history_is_kept_if_the_spec_keeps_it(steps: Steps) -> None:
    """The entries are acknowledged and stay in the stream."""
    batch = steps.begin("worker", 2)
    assert steps.settle(batch, deletes=False) == [DONE, DONE]
    assert steps.pending() == {}
    assert steps.entries() == [one.id for one in batch]


def test_an_entry_that_another_group_has_not_read_is_not_deleted(steps: Steps) -> None:
    """A new group loses no message; without it, entries are deleted again."""
    first, second = steps.begin("worker", 2)
    steps.ask("XGROUP", "CREATE", KEYS.stream, "audit", "0")
    assert steps.settle([first]) == [DONE]
    assert steps.pending() == {second.id: ("worker", 1)}
    assert steps.entries() == [first.id, second.id]
    steps.ask("XGROUP", "DESTROY", KEYS.stream, "audit")
    assert steps.settle([second]) == [DONE]
    assert steps.entries() == [first.id]


def test_entries_finished_next_to_another_group_are_deleted_later(steps: Steps) -> None:
    """They never run again; an entry that was not finished does, even between finished ones."""
    settled, left, dead, lost, held = steps.begin("worker", 5)
    steps.ask("XGROUP", "CREATE", KEYS.stream, "debug", "$")
    assert steps.settle([settled]) == [DONE]
    assert steps.settle_with(left) == DONE
    assert steps.bury(dead) == DONE
    assert steps.finished() == {settled.id, left.id, dead.id}
    steps.ask("XACK", KEYS.stream, KEYS.group, lost.id)
    steps.reconcile()
    assert len(steps.entries()) == 5, "the other group may need it"

    steps.ask("XGROUP", "DESTROY", KEYS.stream, "debug")
    steps.reconcile()
    assert steps.entries() == [lost.id, held.id]
    assert steps.pending() == {lost.id: (READY, 1000), held.id: ("worker", 1)}
    assert steps.finished() == set()


def test_a_message_that_runs_again_is_not_deleted(steps: Steps) -> None:
    """After `XGROUP SETID`, finished messages are delivered again."""
    batch = steps.begin("worker", 2)
    steps.ask("XGROUP", "CREATE", KEYS.stream, "debug", "$")
    steps.settle(batch)
    steps.ask("XGROUP", "SETID", KEYS.stream, KEYS.group, "0")
    again = steps.read("worker")
    steps.ask("XGROUP", "DESTROY", KEYS.stream, "debug")
    steps.reconcile()
    assert steps.pending() == {one.id: ("worker", 1) for one in batch}
    assert steps.settle(again) == [DONE, DONE]
    assert steps.entries() == []


def test_a_new_group_ignores_what_was_finished_before(steps: Steps) -> None:
    """The stream may be another with the same ids: running twice is better than never."""
    assert steps.ensure() == "there"
    batch = steps.begin("worker", 2)
    steps.ask("XGROUP", "CREATE", KEYS.stream, "debug", "$")
    steps.settle(batch)
    steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    assert steps.ensure() == "again"
    assert steps.finished() == set()
    steps.ask("XGROUP", "DESTROY", KEYS.stream, "debug")
    steps.reconcile()
    assert set(steps.pending().values()) == {(READY, 1000)}


def test_settling_does_not_acknowledge_for_another_group(steps: Steps) -> None:
    """Each group acknowledges for itself."""
    steps.ask("XGROUP", "CREATE", KEYS.stream, "audit", "0")
    batch = steps.begin("worker", 2)
    steps.ask("XREADGROUP", "GROUP", "audit", "worker", "STREAMS", KEYS.stream, ">")
    steps.settle(batch)
    summary = steps.ask("XPENDING", KEYS.stream, "audit")
    assert isinstance(summary, list)
    assert summary[0] == 2


def commands(server: Server, steps: Steps) -> list[list[str]]:
    """Return the commands that Redis runs to settle two deliveries, in order."""
    batch = steps.begin("worker", 2)
    with Redis(port=server.port) as watcher, watcher.monitor() as monitor:
        assert steps.settle(batch) == [DONE, DONE]
        steps.ask("ECHO", "enough")
        seen: list[list[str]] = []
        while not seen or seen[-1][:2] != ["ECHO", "enough"]:
            seen.append(str(monitor.next_command()["command"]).split(" "))
    return seen


def test_an_entry_is_acknowledged_last(own: Steps, server: Server) -> None:
    """An entry that is acknowledged but not deleted would look unfinished and run again."""
    words = [one[0].upper() for one in commands(server, own)]
    assert words.index("XDEL") < words.index("XACK")


@pytest.mark.parametrize("others", [0, 3], ids=["by itself", "among those of another worker"])
def test_a_batch_costs_redis_one_command_of_each_kind(own: Steps, others: int) -> None:
    """This holds for ids of one millisecond, too; side keys without an entry cost no command."""
    batch = []
    for n in range(100):
        own.send_as(f"5-{n * (others + 1)}")
        batch += own.read("worker")
        for m in range(others):
            own.send_as(f"5-{n * (others + 1) + m + 1}")
        own.read("other")
    own.ask("CONFIG", "RESETSTAT")
    assert own.settle(batch) == [DONE] * 100
    assert calls(own, "xpending", "xack", "xdel", "hdel", "srem") == {"xpending": 1, "xack": 1, "xdel": 1}


def calls(steps: Steps, *commands: str) -> dict[str, int]:
    """Return how often each command ran, without zeros."""
    stats_text = steps.ask("INFO", "commandstats")
    assert isinstance(stats_text, bytes)
    stats = dict(line.split(":calls=") for line in stats_text.decode().split() if ":calls=" in line)
    counts = {name.removeprefix("cmdstat_"): int(rest.split(",")[0]) for name, rest in stats.items()}
    return {name: count for name, count in counts.items() if name in commands}


def test_a_result_is_stored_for_its_retention(steps: Steps) -> None:
    """The step that finishes the message writes it."""
    [one] = steps.begin("worker")
    assert steps.settle_with(one, b'{"\xff": 1}', stays=60_000) == DONE
    assert steps.ask("GET", KEYS.result + one.id) == b'{"\xff": 1}'
    left = steps.ask("PTTL", KEYS.result + one.id)
    assert isinstance(left, int)
    assert 0 < left <= 60_000
    assert (steps.pending(), steps.entries()) == ({}, [])


def test_a_result_is_written_once(steps: Steps) -> None:
    """A repeated or late call does not overwrite it."""
    [one] = steps.begin("worker")
    assert steps.settle_with(one, "first") == DONE
    assert steps.settle_with(one, "second") == GONE
    assert steps.ask("GET", KEYS.result + one.id) == b"first"


def test_a_retention_of_zero_stores_no_result(steps: Steps) -> None:
    """Redis refuses an expiry of 0, so the script writes no key."""
    [one] = steps.begin("worker")
    assert steps.settle_with(one, stays=0) == DONE
    assert steps.pending() == {}


def test_a_refused_result_settles_nothing(steps: Steps) -> None:
    """The result is written first."""
    [one] = steps.begin("worker")
    with pytest.raises(Exception, match=r"invalid expire|out of range"):
        steps.settle_with(one, stays=10**19)
    assert steps.pending() == {one.id: ("worker", 1)}
    assert steps.settle_with(one) == DONE
