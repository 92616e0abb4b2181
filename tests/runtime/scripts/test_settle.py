"""settle, settle_with: done, acknowledged, and deleted where nothing else needs the entry."""

import pytest
from redis import Redis
from redis_state import KEYS
from servers import Server
from steps import DONE, GONE, Steps

from penstock.keys import READY


def test_what_is_done_is_gone_without_a_trace(steps: Steps) -> None:
    """Not pending, not in the stream, and nothing is remembered of it beside the stream."""
    batch = steps.begin("worker", 3)
    steps.park(batch, uncharged=2, crashed=True)
    steps.promote()
    claims = steps.claim("worker")
    assert len(claims.claimed) == 3
    assert steps.settle(claims.deliveries) == [DONE] * 3
    assert (steps.pending(), steps.entries(), steps.uncharged(), steps.crashed()) == ({}, [], {}, {})


def test_what_others_left_behind_stays(steps: Steps) -> None:
    """Only what was settled is forgotten."""
    done, kept = steps.begin("worker", 2)
    steps.give_back([done, kept])
    steps.ask("HSET", KEYS.crashed, done.id, "crash", kept.id, "crash")
    claims = steps.claim("worker", ready=1)
    assert claims.ids == [done.id]
    steps.settle(claims.deliveries)
    assert steps.uncharged() == {kept.id: 1}
    assert steps.crashed() == {kept.id: "crash"}


def test_history_is_kept_where_the_spec_says_so(steps: Steps) -> None:
    """Acknowledged, and still in the stream."""
    batch = steps.begin("worker", 2)
    assert steps.settle(batch, deletes=False) == [DONE, DONE]
    assert steps.pending() == {}
    assert steps.entries() == [one.id for one in batch]


def test_an_entry_that_another_group_has_not_read_is_not_deleted(steps: Steps) -> None:
    """A group that somebody made meanwhile loses nothing; with it gone, entries are deleted again."""
    first, second = steps.begin("worker", 2)
    steps.ask("XGROUP", "CREATE", KEYS.stream, "audit", "0")
    assert steps.settle([first]) == [DONE]
    assert steps.pending() == {second.id: ("worker", 1)}
    assert steps.entries() == [first.id, second.id]
    steps.ask("XGROUP", "DESTROY", KEYS.stream, "audit")
    assert steps.settle([second]) == [DONE]
    assert steps.entries() == [first.id]


def test_what_is_finished_beside_another_group_is_deleted_when_that_is_gone(steps: Steps) -> None:
    """However it ended, it is not run again; what nobody finished is, also where all around it is finished."""
    settled, left, dead, lost, held = steps.begin("worker", 5)
    steps.ask("XGROUP", "CREATE", KEYS.stream, "debug", "$")
    assert steps.settle([settled]) == [DONE]
    assert steps.settle_with(left) == DONE
    assert steps.bury(dead) == DONE
    assert steps.finished() == {settled.id, left.id, dead.id}
    steps.ask("XACK", KEYS.stream, KEYS.group, lost.id)
    steps.reconcile()
    assert len(steps.entries()) == 5, "it may be the other group's"

    steps.ask("XGROUP", "DESTROY", KEYS.stream, "debug")
    steps.reconcile()
    assert steps.entries() == [lost.id, held.id]
    assert steps.pending() == {lost.id: (READY, 1000), held.id: ("worker", 1)}
    assert steps.finished() == set()


def test_what_runs_once_more_is_not_deleted_under_the_worker(steps: Steps) -> None:
    """Somebody set the group back: what had been finished was given out again."""
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


def test_a_group_that_is_made_again_trusts_no_finish_of_before(steps: Steps) -> None:
    """The stream may be another by now, with the same ids: rather twice than never."""
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


def test_another_group_keeps_what_it_has_pending(steps: Steps) -> None:
    """Settling acknowledges for one's own group only."""
    steps.ask("XGROUP", "CREATE", KEYS.stream, "audit", "0")
    batch = steps.begin("worker", 2)
    steps.ask("XREADGROUP", "GROUP", "audit", "worker", "STREAMS", KEYS.stream, ">")
    steps.settle(batch)
    told = steps.ask("XPENDING", KEYS.stream, "audit")
    assert isinstance(told, list)
    assert told[0] == 2


def commands(server: Server, steps: Steps) -> list[list[str]]:
    """What one settle of two deliveries makes Redis do, in order."""
    batch = steps.begin("worker", 2)
    with Redis(port=server.port) as watcher, watcher.monitor() as monitor:
        assert steps.settle(batch) == [DONE, DONE]
        steps.ask("ECHO", "enough")
        heard: list[list[str]] = []
        while not heard or heard[-1][:2] != ["ECHO", "enough"]:
            heard.append(str(monitor.next_command()["command"]).split(" "))
    return heard


def test_an_entry_is_deleted_only_after_it_was_acknowledged(own: Steps, server: Server) -> None:
    """P2: one that was deleted first and then still pended would be a message without a body."""
    words = [one[0].upper() for one in commands(server, own)]
    assert words.index("XACK") < words.index("XDEL")


@pytest.mark.parametrize("strangers", [0, 3], ids=["by itself", "among those of another worker"])
def test_a_batch_costs_redis_one_command_of_each_kind(own: Steps, strangers: int) -> None:
    """However many are settled at once, all of one millisecond too; and what is not remembered is not forgotten."""
    batch = []
    for n in range(100):
        own.send_as(f"5-{n * (strangers + 1)}")
        batch += own.read("worker")
        for m in range(strangers):
            own.send_as(f"5-{n * (strangers + 1) + m + 1}")
        own.read("other")
    own.ask("CONFIG", "RESETSTAT")
    assert own.settle(batch) == [DONE] * 100
    assert calls(own, "xpending", "xack", "xdel", "hdel", "srem") == {"xpending": 1, "xack": 1, "xdel": 1}


def calls(steps: Steps, *commands: str) -> dict[str, int]:
    """How often each was called, as far as it was."""
    told = steps.ask("INFO", "commandstats")
    assert isinstance(told, bytes)
    stats = dict(line.split(":calls=") for line in told.decode().split() if ":calls=" in line)
    counts = {name.removeprefix("cmdstat_"): int(rest.split(",")[0]) for name, rest in stats.items()}
    return {name: count for name, count in counts.items() if name in commands}


def test_a_result_stays_as_long_as_was_said(steps: Steps) -> None:
    """Written in the same step in which the message ends."""
    [one] = steps.begin("worker")
    assert steps.settle_with(one, b'{"\xff": 1}', stays=60_000) == DONE
    assert steps.ask("GET", KEYS.result + one.id) == b'{"\xff": 1}'
    left = steps.ask("PTTL", KEYS.result + one.id)
    assert isinstance(left, int)
    assert 0 < left <= 60_000
    assert (steps.pending(), steps.entries()) == ({}, [])


def test_a_result_is_left_once(steps: Steps) -> None:
    """A repeat, or a late one, does not write over what the owner left."""
    [one] = steps.begin("worker")
    assert steps.settle_with(one, "first") == DONE
    assert steps.settle_with(one, "second") == GONE
    assert steps.ask("GET", KEYS.result + one.id) == b"first"


def test_a_result_that_nobody_wants_to_keep_settles_all_the_same(steps: Steps) -> None:
    """Redis knows no time of 0, and would refuse it for ever."""
    [one] = steps.begin("worker")
    assert steps.settle_with(one, stays=0) == DONE
    assert steps.pending() == {}


def test_a_result_that_cannot_be_kept_settles_nothing(steps: Steps) -> None:
    """P2: the result comes first."""
    [one] = steps.begin("worker")
    with pytest.raises(Exception, match=r"invalid expire|out of range"):
        steps.settle_with(one, stays=10**19)
    assert steps.pending() == {one.id: ("worker", 1)}
    assert steps.settle_with(one) == DONE
