"""A step that ends after any of its writes is neither doubled by its repeat nor taken for an unfinished message."""

from contextlib import suppress
from copy import copy

import pytest
from redis_state import HISTORY, KEYS, SPEC
from steps import DONE, GONE, Another, Delivery, Steps

from penstock.keys import READY
from penstock.scripts import script
from penstock.wire.errors import Refused
from penstock_spec.kinds.pipeline.spec import Pipeline

MOST_WRITES = 8
LIMITED = """
local real, left = redis, %d
local READS = {
  GET = 1, HEXISTS = 1, HGET = 1, HLEN = 1, HMGET = 1, PERSIST = 1, SCARD = 1, TIME = 1, XINFO = 1, XPENDING = 1
}
local redis = {pcall = real.pcall, error_reply = real.error_reply, REDIS_VERSION_NUM = real.REDIS_VERSION_NUM}
function redis.call(name, ...)
  if not READS[name] then
    if left == 0 then error('ended half-way') end
    left = left - 1
  end
  return real.call(name, ...)
end
"""


class HalfWay(Steps):
    """Steps of which the next ones end before a write."""

    writes: int | None = None

    def run(self, name, keys, *args):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN201 - as in `Steps`
        if self.writes is None:
            return super().run(name, keys, *args)
        text = (LIMITED % self.writes).encode() + script(name).text
        return self.ask("EVAL", text, len(keys), *keys, *args)


def half_way(steps: Steps, writes: int, name: str, one: Delivery) -> None:
    """Take a step that ends before its next write after some, or as a whole if it has no more."""
    limited = copy(steps)
    limited.__class__ = HalfWay
    limited.writes = writes  # type: ignore[attr-defined]
    with suppress(Refused):
        take(limited, name, one)


def take(steps: Steps, name: str, one: Delivery) -> object:
    match name:
        case "settle":
            return steps.settle([one])[0]
        case "keep":
            return steps.settle([one], deletes=False)[0]
        case "settle_with":
            return steps.settle_with(one)
        case "bury":
            return steps.bury(one)
        case "park":
            return steps.park([one], wait=60_000, uncharged=1)[0]
        case _:
            return steps.give_back([one])[0]


def given_back_before(steps: Steps) -> Delivery:
    """A delivery with records to clean up."""
    steps.give_back(steps.begin("worker"))
    [one] = steps.claim("worker").deliveries
    return one


@pytest.mark.parametrize("writes", range(MOST_WRITES))
@pytest.mark.parametrize("name", ["give_back", "park"])
def test_no_delivery_is_uncharged_twice(steps: Steps, name: str, writes: int) -> None:
    """The repeat counts nothing that the first try has counted."""
    one = given_back_before(steps)
    half_way(steps, writes, name, one)
    assert take(steps, name, one) in (DONE, Another("~parked" if name == "park" else READY, 2))
    assert steps.uncharged() == {one.id: 2}


@pytest.mark.parametrize("writes", range(MOST_WRITES))
@pytest.mark.parametrize("name", ["settle", "settle_with", "bury"])
def test_a_repeat_ends_the_message(steps: Steps, name: str, writes: int) -> None:
    """Nothing of it is left, and reconciling brings nothing back."""
    one = given_back_before(steps)
    half_way(steps, writes, name, one)
    assert take(steps, name, one) in (DONE, GONE)
    steps.reconcile()
    assert (steps.entries(), steps.pending(), steps.uncharged()) == ([], {}, {})


@pytest.mark.parametrize("writes", range(MOST_WRITES))
def test_a_repeat_ends_a_message_that_stays_in_the_stream(steps: Steps, writes: int) -> None:
    """With history, no record of it is left that would make it look unfinished."""
    steps.park(steps.begin("worker"), deletes=False)
    steps.promote()
    [one] = steps.claim("worker").deliveries
    half_way(steps, writes, "keep", one)
    assert take(steps, "keep", one) in (DONE, GONE)
    steps.reconcile(HISTORY)
    assert (steps.entries(), steps.pending(), steps.uncharged()) == ([one.id], {}, {})


@pytest.mark.parametrize("writes", range(MOST_WRITES))
@pytest.mark.parametrize("name", ["settle", "settle_with", "bury"])
def test_a_message_that_has_left_the_stream_does_not_run_again(steps: Steps, name: str, writes: int) -> None:
    """Its worker is lost before the repeat: the message runs as a suspect with its attempts, or it has ended."""
    one = given_back_before(steps)
    half_way(steps, writes, name, one)
    steps.crash("worker")
    steps.reconcile()
    steps.register("other")
    claims = steps.claim("other")
    assert [row.delivery.count - row.uncharged for row in claims.claimed] in ([], [2])
    assert [row.delivery.count for row in claims.claimed] in ([], [3]), "not by force"
    if claims.claimed:
        steps.settle(claims.deliveries)
    assert (steps.entries(), steps.pending()) == ([], {})
    assert steps.uncharged().keys() <= {"~count"}


ENSURE = (KEYS.stream, KEYS.parked, KEYS.uncharged, KEYS.crashed, KEYS.position, KEYS.finished, KEYS.alive)


@pytest.mark.parametrize("writes", range(12))
@pytest.mark.parametrize(("mode", "spec"), [("history", HISTORY), ("until-done", SPEC)], ids=["history", "until-done"])
def test_a_group_that_is_created_again_half_way_skips_nothing(
    steps: Steps, mode: str, spec: Pipeline, writes: int
) -> None:
    """The repeat finds the group. Reconciling brings back what was running, and what nobody had read."""
    steps.run("ensure", ENSURE, KEYS.group, mode)
    running = [one.id for one in steps.begin("worker", 3)]
    steps.run("remember", (KEYS.stream, KEYS.uncharged, KEYS.position), KEYS.group, 1000, 3)
    unread = steps.send(2)
    steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    limited = copy(steps)
    limited.__class__ = HalfWay
    limited.writes = writes  # type: ignore[attr-defined]
    with suppress(Refused):
        limited.run("ensure", ENSURE, KEYS.group, mode)
    steps.run("ensure", ENSURE, KEYS.group, mode)
    steps.reconcile(spec)
    assert steps.pending().keys() == {*running, *unread}
