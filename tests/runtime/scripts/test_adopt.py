"""A worker owns a first attempt again whose consumer was deleted: nothing else knows of it if finished entries stay."""

from redis_state import KEYS
from steps import DONE, Delivery, Steps

NAMES = (KEYS.stream, KEYS.alive, KEYS.uncharged)


def adopt(steps: Steps, consumer: str, *ones: Delivery) -> object:
    return steps.run("adopt", NAMES, KEYS.group, consumer, *(one.id for one in ones))


def delete(steps: Steps, consumer: str) -> None:
    steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, consumer)


def test_the_fence_stays(steps: Steps) -> None:
    """The owner and the count are those of the delivery, so the worker settles it as if nothing had happened."""
    one, other = steps.begin("worker", 2)
    delete(steps, "worker")
    assert adopt(steps, "worker", one) == [1]
    assert steps.pending() == {one.id: ("worker", 1)}
    assert steps.settle([one], deletes=False) == [DONE]
    assert steps.pending() == {}
    assert adopt(steps, "worker", other) == [1]


def test_a_repeat_changes_nothing(steps: Steps) -> None:
    """It is pending then."""
    [one] = steps.begin("worker")
    delete(steps, "worker")
    assert [adopt(steps, "worker", one), adopt(steps, "worker", one)] == [[1], [0]]
    assert steps.pending() == {one.id: ("worker", 1)}


def test_other_owners_keep_their_messages(steps: Steps) -> None:
    """Another consumer has it, a record will bring it back, or it has left the stream."""
    owned, recorded, deleted = steps.begin("worker", 3)
    delete(steps, "worker")
    steps.register("other")
    steps.ask("XCLAIM", KEYS.stream, KEYS.group, "other", 0, owned.id, "FORCE", "JUSTID")
    steps.ask("HSET", KEYS.uncharged, recorded.id, "0@1")
    steps.ask("XDEL", KEYS.stream, deleted.id)
    before = steps.pending()
    assert adopt(steps, "worker", owned, recorded, deleted) == [0, 0, 0]
    assert steps.pending() == before


def test_a_lost_lease_gets_nothing(steps: Steps) -> None:
    """Marked as lost, or removed: the consumer may be taken over."""
    [one] = steps.begin("worker")
    delete(steps, "worker")
    steps.ask("ZADD", KEYS.alive, -1, "worker")
    assert adopt(steps, "worker", one) == [0]
    steps.ask("ZREM", KEYS.alive, "worker")
    assert adopt(steps, "worker", one) == [0]
    assert steps.pending() == {}
