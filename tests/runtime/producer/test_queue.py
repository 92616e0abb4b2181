"""The queue keeps the order, returns each message at most once, and never a withdrawn one."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.producer.encoded import EncodedMessage
from penstock.producer.queue import Queue

STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "put back", "take", "withdraw", "clear"]), st.integers(0, 5)), max_size=80
)


def messages(count: int, size: int = 10) -> list[EncodedMessage]:
    return [EncodedMessage(str(n), (), size, None, None) for n in range(count)]


def test_take_respects_both_limits_but_takes_at_least_one() -> None:
    """A message larger than the limit travels alone."""
    queue = Queue()
    several = [*messages(3), *messages(1, 1000), *messages(4)]
    queue.put(several)
    batches = [queue.take(2, 100), queue.take(5, 100), queue.take(5, 100), queue.take(5, 30), queue.take(5, 30)]
    assert batches == [several[:2], several[2:3], several[3:4], several[4:7], several[7:]]
    assert queue.take(5, 30) == []


def test_withdrawn_messages_take_no_room() -> None:
    """A thousand withdrawals behind a waiting message leave a handful of places."""
    queue = Queue()
    (stays,) = messages(1)
    queue.put([stays])
    for message in messages(1000):
        queue.put([message])
        assert queue.withdraw([message]) == [message]
    assert len(queue) == 1
    assert len(queue._places) < 5  # noqa: SLF001 - the public API does not show the places
    assert queue.take(10, 1000) == [stays]


@given(STEPS)
def test_the_queue_behaves_like_a_list(steps: list[tuple[str, int]]) -> None:
    """Any sequence of steps gives the results of a plain list."""
    queue, model, out = Queue(), list[EncodedMessage](), list[EncodedMessage]()
    for step, count in steps:
        match step:
            case "put":
                new = messages(count)
                queue.put(new)
                model += new
            case "put back":
                back, out = out[:count], out[count:]
                queue.put_back(back)
                model = back + model
            case "take":
                batch = queue.take(count, 10_000)
                assert batch == model[:count]
                del model[:count]
                out += batch
            case "withdraw":
                withdrawn = [*model[count : 2 * count], *out[:1], *messages(1)]
                assert queue.withdraw(withdrawn) == model[count : 2 * count]
                del model[count : 2 * count]
            case _:
                assert queue.clear() == model
                model = []
        assert len(queue) == len(model)
