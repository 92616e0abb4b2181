"""The janitor trims finished entries by age or length, never unfinished ones; dead letters expire."""

import pytest
from event_loop import run_async
from pipeline_driver import Clock, PipelineDriver
from servers import Server
from targets import Target

from penstock.janitor import trim
from penstock_spec.kinds.pipeline.metrics import janitor

pytestmark = pytest.mark.wire

LENGTH = "stream: {retention: {keep: {length: 5}}}"
AGE = "stream: {retention: {keep: {age: 1h}}}"
HOUR = 3_600_000


def add_old(driver: PipelineDriver, count: int, *, age: int = 2 * HOUR) -> list[str]:
    """Entries with old ids."""
    first = driver.now() - age
    return [str(driver.ask("XADD", driver.keys.stream, f"{first + n}-0", "data", "{}")) for n in range(count)]


def finish(driver: PipelineDriver, count: int) -> None:
    """A worker settles this many messages."""
    worker = driver.join_group()
    ids = driver.read(worker, count)
    driver.settle(worker, dict.fromkeys(ids, 1))


def held_back(driver: PipelineDriver, group: str) -> float:
    return driver.counted(janitor.TRIM_HELD_BACK, group)


@pytest.mark.parametrize("page", [500, 3])
def test_by_length_the_newest_stay(target: Target, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    """Exactly, page by page."""
    monkeypatch.setattr(trim, "ENTRIES", page)
    driver = PipelineDriver(target, LENGTH)
    driver.create_group()
    ids = driver.add(20)
    finish(driver, 20)

    run_async(driver.round())

    assert driver.entries() == ids[-5:]
    assert driver.counted(janitor.TRIMMED) == 15
    assert held_back(driver, driver.keys.group) == 0


@pytest.mark.parametrize("page", [500, 3])
def test_by_age_the_young_stay(target: Target, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    """Exactly, page by page."""
    monkeypatch.setattr(trim, "ENTRIES", page)
    driver = PipelineDriver(target, AGE)
    driver.create_group()
    add_old(driver, 10)
    young = driver.add(3)
    finish(driver, 13)

    run_async(driver.round())

    assert driver.entries() == young
    assert driver.counted(janitor.TRIMMED) == 10


@pytest.mark.parametrize("spec", [LENGTH, AGE], ids=["length", "age"])
def test_unread_and_unfinished_messages_stay_whatever_their_age(target: Target, spec: str) -> None:
    """Running, parked and unread entries hold back all later ones; a metric names the group."""
    driver = PipelineDriver(target, spec)
    driver.create_group()
    ids = add_old(driver, 20)
    finish(driver, 6)
    driver.park(driver.read(driver.join_group(), 4), wait=60_000)

    run_async(driver.round())

    assert driver.entries() == ids[6:]
    assert held_back(driver, driver.keys.group) == (9 if spec == LENGTH else 14)

    for entry in ids[6:10]:
        driver.ask("ZADD", driver.keys.parked, driver.now(), entry)
    run_async(driver.round())
    worker = driver.join_group()
    driver.claim(worker)
    driver.settle(worker, dict.fromkeys(ids[6:10], 2))
    run_async(driver.round())
    assert driver.entries() == ids[10:]


@pytest.mark.parametrize("spec", [LENGTH, AGE], ids=["length", "age"])
def test_unfinished_work_of_another_group_is_not_trimmed(target: Target, spec: str) -> None:
    """Entries that another group has not read or has pending."""
    driver = PipelineDriver(target, spec)
    driver.create_group()
    ids = add_old(driver, 20)
    finish(driver, 20)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "auditors", "0")

    run_async(driver.round())
    assert driver.entries() == ids

    driver.ask("XREADGROUP", "GROUP", "auditors", "a", "COUNT", 12, "STREAMS", driver.keys.stream, ">")
    driver.ask("XACK", driver.keys.stream, "auditors", *ids[:7], *ids[8:12])
    run_async(driver.round())
    assert driver.entries() == ids[7:]
    assert held_back(driver, "auditors") > 0

    driver.ask("XGROUP", "DESTROY", driver.keys.stream, "auditors")
    run_async(driver.round())
    assert driver.entries() == (ids[-5:] if spec == LENGTH else [])


def test_a_group_that_no_longer_holds_back_is_exported_as_zero(target: Target) -> None:
    """By the same janitor, so that an alert ends."""
    driver = PipelineDriver(target, "{stream: {retention: {keep: {length: 5}}}, janitor: {trim: {every: 1s}}}")
    driver.create_group()
    driver.add(10)
    finish(driver, 10)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "auditors", "0")

    async def scenario() -> None:
        clock = Clock()
        async with driver.janitor(monotonic=clock) as rounds:
            await rounds.make()
            assert held_back(driver, "auditors") == 5
            driver.ask("XGROUP", "SETID", driver.keys.stream, "auditors", "$")
            clock.move(2)
            await rounds.make()

    run_async(scenario())
    assert held_back(driver, "auditors") == 0
    assert len(driver.entries()) == 5


@pytest.mark.parametrize(
    "entry",
    ["5-18446744073709551615", "5-9007199254740993", "1000000000000000000-1", "18446744073709551614-3"],
    ids=["the highest second number", "one that Lua cannot count", "far in the future", "the far end of time"],
)
def test_extreme_ids_are_never_trimmed_too_early(target: Target, entry: str) -> None:
    """Ids beyond the exact numbers of Lua hold back too many entries rather than too few."""
    driver = PipelineDriver(target, "stream: {retention: {keep: {length: 1}}}")
    driver.create_group()
    before = "4-1"
    for one in (before, entry):
        driver.ask("XADD", driver.keys.stream, one, "data", "{}")
    finish(driver, 1)
    driver.read(driver.join_group(), 1)
    after = "18446744073709551615-1"
    driver.ask("XADD", driver.keys.stream, after, "data", "{}")

    run_async(driver.round())

    assert driver.entries()[-2:] == [entry, after]


def test_a_stream_that_keeps_nothing_is_not_trimmed(target: Target) -> None:
    """All its entries are unfinished."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = add_old(driver, 5)
    run_async(driver.round())
    assert driver.entries() == ids


def test_trimming_continues_at_once_until_done(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next round follows at once; then the interval of the spec counts."""
    monkeypatch.setattr(trim, "ENTRIES", 1)
    driver = PipelineDriver(target, LENGTH)
    driver.create_group()
    driver.add(35)
    finish(driver, 35)

    async def scenario() -> list[float]:
        async with driver.janitor() as rounds:
            waits = [await rounds.go()]
            assert len(driver.entries()) == 15
            waits.append(await rounds.go())
            assert len(driver.entries()) == 5
            driver.add(5)
            finish(driver, 5)
            await rounds.make()
            assert len(driver.entries()) == 10
            return waits

    first, second = run_async(scenario())
    assert first == 0
    assert second > 0


def test_dead_letters_expire(target: Target) -> None:
    """Each one exactly on time, however few there are."""
    driver = PipelineDriver(target, "dead_letter: {keep: 1h}")
    driver.create_group()
    first = driver.now() - 2 * HOUR
    for number in range(450):
        driver.ask("XADD", driver.keys.dead, f"{first + number}-0", "data", "{}")
    young = driver.ask("XADD", driver.keys.dead, "*", "data", "{}")

    run_async(driver.round())

    assert [entry[0] for entry in driver.listed("XRANGE", driver.keys.dead, "-", "+")] == [young]
    assert driver.counted(janitor.DEAD_EXPIRED) == 450


def set_node_size(server: Server, entries: int, size: int) -> None:
    """How many entries a node of a stream may have, and how many bytes; 0 is no limit."""
    server.ask("CONFIG", "SET", "stream-node-max-entries", entries)
    server.ask("CONFIG", "SET", "stream-node-max-bytes", size)


@pytest.mark.parametrize(("entries", "size"), [(100, 4096), (0, 0), (100_000, 0)])
def test_dead_letters_expire_exactly_and_in_pages_whatever_the_size_of_a_node(
    server: Server, entries: int, size: int
) -> None:
    """XTRIM with `~` removes complete nodes only: with large ones nothing, or all at once."""
    set_node_size(server, entries, size)
    driver = PipelineDriver(server, "dead_letter: {keep: 1h}")
    first = driver.now() - 2 * HOUR
    for number in range(1050):
        driver.ask("XADD", driver.keys.dead, f"{first + number}-0", "data", "{}")
    young = [str(driver.ask("XADD", driver.keys.dead, "*", "data", "{}")) for _ in range(10)]

    async def pages() -> list[int]:
        links = driver.links()
        trimmer = trim.Trimmer(links.pairs[0].work, driver.keys, driver.pipeline.spec)
        removed, more = [], True
        while more:
            page = await trimmer.dead()
            removed.append(page.removed)
            more = page.more
        await links.close()
        return removed

    removed = run_async(pages())
    assert sum(removed) == 1050
    assert max(removed) <= trim.DEAD
    assert [entry[0] for entry in driver.listed("XRANGE", driver.keys.dead, "-", "+")] == young


@pytest.mark.parametrize(("entries", "size"), [(100, 4096), (0, 0)])
@pytest.mark.parametrize("spec", [LENGTH, AGE], ids=["length", "age"])
def test_history_is_trimmed_exactly_whatever_the_size_of_a_node(
    server: Server, spec: str, entries: int, size: int
) -> None:
    """Also where complete nodes can go without being read."""
    set_node_size(server, entries, size)
    driver = PipelineDriver(server, spec)
    driver.create_group()
    ids = add_old(driver, 650)
    finish(driver, 500)

    run_async(driver.round())
    assert driver.entries() == ids[500:]

    finish(driver, 150)
    run_async(driver.round())
    assert driver.entries() == (ids[-5:] if spec == LENGTH else [])


@pytest.mark.parametrize("others", [0, 2000])
@pytest.mark.parametrize("key", ["parked", "uncharged", "crashed"])
def test_entries_recorded_as_unfinished_stay(target: Target, key: str, others: int) -> None:
    """A foreign client has just deleted the consumer that owned them, so that they are pending nowhere."""
    driver = PipelineDriver(target, LENGTH)
    driver.create_group()
    ids = driver.add(20)
    finish(driver, 20)
    unfinished, place = ids[3], getattr(driver.keys, key)
    if key == "parked":
        driver.ask("ZADD", place, 1, unfinished)
    else:
        driver.ask("HSET", place, unfinished, "0@1" if key == "uncharged" else "lost")
    for first in range(0, others, 500):
        driver.ask("HSET", driver.keys.uncharged, *(part for n in range(500) for part in (f"9{first + n}-0", "0@1")))

    async def history() -> trim.TrimResult:
        link = driver.link()
        try:
            return await trim.Trimmer(link, driver.keys, driver.pipeline.spec).history()
        finally:
            await link.close()

    result = run_async(history())

    kept = {*ids[-5:], unfinished} if others else {*ids[3:]}
    assert set(driver.entries()) == kept
    assert result.removed == 20 - len(kept)
    assert others or (result.held, result.holder) == (12, driver.keys.group)
