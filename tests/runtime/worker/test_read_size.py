"""How many messages a worker requests: by bytes as well as by number."""

from penstock.worker.read_size import BUDGET, ReadSize

MEBIBYTE = 1 << 20


def test_small_messages_are_not_limited() -> None:
    """The default `max_size` never limits an ordinary worker."""
    size = ReadSize(256 * 1024, None)
    assert size.count(256) == 256
    for _ in range(60):
        size.received(64, 64 * 300)
    assert size.count(5000) == 5000
    assert size.most_received is None, "without a memory limit, nothing is dropped"


def test_large_messages_are_read_a_few_at_a_time() -> None:
    """Before the first answer, each may have `max_size`; then recent ones count."""
    size = ReadSize(16 * MEBIBYTE, None)
    assert size.count(16) == BUDGET // (16 * MEBIBYTE)
    for _ in range(60):
        size.received(4, 4 * 1000)
    assert size.count(16) == 16
    size.received(2, 64 * MEBIBYTE)
    assert size.count(16) == 2
    size.received(1, 200 * MEBIBYTE)
    assert size.count(16) == 1


def test_an_answer_that_did_not_arrive_halves_the_next() -> None:
    """Down to one; each answer that arrives doubles it again."""
    size = ReadSize(1000, None)
    size.failed(16, oversized=False)
    assert (size.count(16), size.claimed_count(16)) == (8, 8)
    for asked in (8, 4, 2, 1):
        size.failed(asked, oversized=False)
    assert (size.count(16), size.claimed_count(16)) == (1, 1)
    size.received(1, 1000)
    assert size.count(16) == 2
    for _ in range(30):
        size.claimed()
    assert size.count(10_000) == 10_000


def test_a_memory_limit_drops_larger_answers() -> None:
    """A message of `max_size` always fits."""
    small = ReadSize(256 * 1024, 50 * MEBIBYTE)
    assert small.most_received == 75 * MEBIBYTE
    large = ReadSize(100 * MEBIBYTE, 50 * MEBIBYTE)
    assert large.most_received is not None
    assert large.most_received > 100 * MEBIBYTE
    assert large.count(16) == 1


def test_a_dropped_answer_leads_to_single_messages() -> None:
    """Until smaller answers arrive."""
    size = ReadSize(256 * 1024, 8 * MEBIBYTE)
    size.failed(16, oversized=True)
    for _ in range(5):
        size.claimed()
    assert size.count(16) == 1
    for _ in range(60):
        size.received(1, 1000)
    assert size.count(16) == 16
