"""Letters that wait: in order, each at most once, and none that was withdrawn."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.producer.encoded import EncodedMessage
from penstock.producer.queue import Queue

STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "put back", "take", "withdraw", "clear"]), st.integers(0, 5)), max_size=80
)


def letters(count: int, size: int = 10) -> list[EncodedMessage]:
    return [EncodedMessage(str(n), (), size, None, None) for n in range(count)]


def test_within_both_bounds_but_at_least_one() -> None:
    """A letter that is larger than the bound travels alone."""
    queue = Queue()
    several = [*letters(3), *letters(1, 1000), *letters(4)]
    queue.put(several)
    taken = [queue.take(2, 100), queue.take(5, 100), queue.take(5, 100), queue.take(5, 30), queue.take(5, 30)]
    assert taken == [several[:2], several[2:3], several[3:4], several[4:7], several[7:]]
    assert queue.take(5, 30) == []


def test_what_was_withdrawn_takes_no_room() -> None:
    """A thousand that came and went behind one that stays leave a handful of places."""
    queue = Queue()
    (stays,) = letters(1)
    queue.put([stays])
    for letter in letters(1000):
        queue.put([letter])
        assert queue.withdraw([letter]) == [letter]
    assert len(queue) == 1
    assert len(queue._places) < 5  # noqa: SLF001 - what is kept cannot be seen otherwise
    assert queue.take(10, 1000) == [stays]


@given(STEPS)
def test_any_order_of_steps(steps: list[tuple[str, int]]) -> None:
    """It behaves as a list would."""
    queue, model, out = Queue(), list[EncodedMessage](), list[EncodedMessage]()
    for step, count in steps:
        match step:
            case "put":
                new = letters(count)
                queue.put(new)
                model += new
            case "put back":
                back, out = out[:count], out[count:]
                queue.put_back(back)
                model = back + model
            case "take":
                taken = queue.take(count, 10_000)
                assert taken == model[:count]
                del model[:count]
                out += taken
            case "withdraw":
                asked = [*model[count : 2 * count], *out[:1], *letters(1)]
                assert queue.withdraw(asked) == model[count : 2 * count]
                del model[count : 2 * count]
            case _:
                assert queue.clear() == model
                model = []
        assert len(queue) == len(model)
