"""Finished entries are trimmed by age or length, unfinished ones never; dead letters expire."""

import pytest
from promises import keep
from stage import Clock, Stage
from targets import Target

from penstock.janitor import trim
from penstock_spec.kinds.pipeline.metrics import janitor

pytestmark = pytest.mark.wire

LENGTH = "stream: {retention: {keep: {length: 5}}}"
AGE = "stream: {retention: {keep: {age: 1h}}}"
HOUR = 3_600_000


def add_old(stage: Stage, count: int, *, age: int = 2 * HOUR) -> list[str]:
    """Entries with ids of long ago."""
    first = stage.now() - age
    return [str(stage.ask("XADD", stage.keys.stream, f"{first + n}-0", "data", "{}")) for n in range(count)]


def finish(stage: Stage, count: int) -> None:
    """A worker settles this many messages."""
    worker = stage.life()
    ids = stage.read(worker, count)
    stage.settle(worker, dict.fromkeys(ids, 1))


def held_back(stage: Stage, group: str) -> float:
    return stage.counted(janitor.TRIM_HELD_BACK, group)


@pytest.mark.parametrize("page", [500, 3])
def test_by_length_the_newest_stay(target: Target, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    """Page by page, to the entry."""
    monkeypatch.setattr(trim, "ENTRIES", page)
    stage = Stage(target, LENGTH)
    stage.make()
    ids = stage.add(20)
    finish(stage, 20)

    keep(stage.round())

    assert stage.entries() == ids[-5:]
    assert stage.counted(janitor.TRIMMED) == 15
    assert held_back(stage, stage.keys.group) == 0


@pytest.mark.parametrize("page", [500, 3])
def test_by_age_the_young_stay(target: Target, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    """Page by page, to the entry."""
    monkeypatch.setattr(trim, "ENTRIES", page)
    stage = Stage(target, AGE)
    stage.make()
    add_old(stage, 10)
    young = stage.add(3)
    finish(stage, 13)

    keep(stage.round())

    assert stage.entries() == young
    assert stage.counted(janitor.TRIMMED) == 10


@pytest.mark.parametrize("spec", [LENGTH, AGE], ids=["length", "age"])
def test_unread_and_unfinished_messages_stay_whatever_their_age(target: Target, spec: str) -> None:
    """Running, parked and unread entries hold back all later ones; a metric names the group."""
    stage = Stage(target, spec)
    stage.make()
    ids = add_old(stage, 20)
    finish(stage, 6)
    stage.park(stage.read(stage.life(), 4), wait=60_000)

    keep(stage.round())

    assert stage.entries() == ids[6:]
    assert held_back(stage, stage.keys.group) == (9 if spec == LENGTH else 14)

    for entry in ids[6:10]:
        stage.ask("ZADD", stage.keys.parked, stage.now(), entry)
    keep(stage.round())
    worker = stage.life()
    stage.claim(worker)
    stage.settle(worker, dict.fromkeys(ids[6:10], 2))
    keep(stage.round())
    assert stage.entries() == ids[10:]


@pytest.mark.parametrize("spec", [LENGTH, AGE], ids=["length", "age"])
def test_unfinished_work_of_another_group_is_not_trimmed(target: Target, spec: str) -> None:
    """Another group that has read only so far, or left something pending."""
    stage = Stage(target, spec)
    stage.make()
    ids = add_old(stage, 20)
    finish(stage, 20)
    stage.ask("XGROUP", "CREATE", stage.keys.stream, "auditors", "0")

    keep(stage.round())
    assert stage.entries() == ids

    stage.ask("XREADGROUP", "GROUP", "auditors", "a", "COUNT", 12, "STREAMS", stage.keys.stream, ">")
    stage.ask("XACK", stage.keys.stream, "auditors", *ids[:7], *ids[8:12])
    keep(stage.round())
    assert stage.entries() == ids[7:]
    assert held_back(stage, "auditors") > 0

    stage.ask("XGROUP", "DESTROY", stage.keys.stream, "auditors")
    keep(stage.round())
    assert stage.entries() == (ids[-5:] if spec == LENGTH else [])


def test_a_group_that_no_longer_holds_back_is_exported_as_zero(target: Target) -> None:
    """By the same janitor, so that an alert ends."""
    stage = Stage(target, "{stream: {retention: {keep: {length: 5}}}, janitor: {trim: {every: 1s}}}")
    stage.make()
    stage.add(10)
    finish(stage, 10)
    stage.ask("XGROUP", "CREATE", stage.keys.stream, "auditors", "0")

    async def promise() -> None:
        clock = Clock()
        async with stage.janitor(monotonic=clock) as rounds:
            await rounds.make()
            assert held_back(stage, "auditors") == 5
            stage.ask("XGROUP", "SETID", stage.keys.stream, "auditors", "$")
            clock.move(2)
            await rounds.make()

    keep(promise())
    assert held_back(stage, "auditors") == 0
    assert len(stage.entries()) == 5


@pytest.mark.parametrize(
    "entry",
    ["5-18446744073709551615", "5-9007199254740993", "1000000000000000000-1", "18446744073709551614-3"],
    ids=["the highest second number", "one that Lua cannot count", "far in the future", "the far end of time"],
)
def test_chosen_ids_are_never_trimmed_too_early(target: Target, entry: str) -> None:
    """Ids beyond the exact numbers of Lua hold back rather more than less."""
    stage = Stage(target, "stream: {retention: {keep: {length: 1}}}")
    stage.make()
    before = "4-1"
    for one in (before, entry):
        stage.ask("XADD", stage.keys.stream, one, "data", "{}")
    finish(stage, 1)
    stage.read(stage.life(), 1)
    after = "18446744073709551615-1"
    stage.ask("XADD", stage.keys.stream, after, "data", "{}")

    keep(stage.round())

    assert stage.entries()[-2:] == [entry, after]


def test_a_stream_that_keeps_nothing_is_not_trimmed(target: Target) -> None:
    """All its entries are unfinished."""
    stage = Stage(target)
    stage.make()
    ids = add_old(stage, 5)
    keep(stage.round())
    assert stage.entries() == ids


def test_trimming_follows_its_interval_and_goes_on_until_done(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into one round is taken in the next, which follows at once; then the spec's interval counts."""
    monkeypatch.setattr(trim, "ENTRIES", 1)
    stage = Stage(target, LENGTH)
    stage.make()
    stage.add(35)
    finish(stage, 35)

    async def promise() -> list[float]:
        async with stage.janitor() as rounds:
            waits = [await rounds.go()]
            assert len(stage.entries()) == 15
            waits.append(await rounds.go())
            assert len(stage.entries()) == 5
            stage.add(5)
            finish(stage, 5)
            await rounds.make()
            assert len(stage.entries()) == 10
            return waits

    first, second = keep(promise())
    assert first == 0
    assert second > 0


def test_dead_letters_expire(target: Target) -> None:
    """To the letter, however few there are."""
    stage = Stage(target, "dead_letter: {keep: 1h}")
    stage.make()
    first = stage.now() - 2 * HOUR
    for number in range(450):
        stage.ask("XADD", stage.keys.dead, f"{first + number}-0", "data", "{}")
    young = stage.ask("XADD", stage.keys.dead, "*", "data", "{}")

    keep(stage.round())

    assert [entry[0] for entry in stage.listed("XRANGE", stage.keys.dead, "-", "+")] == [young]
    assert stage.counted(janitor.DEAD_EXPIRED) == 450
