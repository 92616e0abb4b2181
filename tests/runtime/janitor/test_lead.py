"""One of several janitors leads, another when it is gone; and two that do are no harm."""

from promises import keep, until
from stage import Stage
from targets import Target

from penstock.janitor import lead
from penstock.janitor.lead import Lock, lock_of
from penstock.keys import Keys

KEY = "penstock:janitor:dev:test"


def test_the_first_who_asks_leads_until_it_gives_up(target: Target) -> None:
    """It may ask again and again; the next has it at once."""
    stage = Stage(target)

    async def promise() -> None:
        link = target.link(KEY)
        first, second = Lock(link, KEY), Lock(link, KEY)
        assert [await first.ask(), await second.ask(), await first.ask()] == [True, False, True]
        await second.give_up()
        assert await first.ask(), "who does not have it cannot give it up"
        await first.give_up()
        assert [await second.ask(), await first.ask()] == [True, False]
        await link.close()

    keep(promise())
    assert 0 < stage.number("PTTL", KEY) <= lead.HOLDS


def test_a_lock_that_nobody_renews_runs_out(target: Target) -> None:
    """Its holder was killed, and can give nothing up."""
    stage = Stage(target)

    async def promise() -> None:
        link = target.link(KEY)
        first, second = Lock(link, KEY), Lock(link, KEY)
        assert await first.ask()
        stage.ask("PEXPIRE", KEY, 50)
        await until(second.ask, "the other has it")
        assert not await first.ask()
        await link.close()

    keep(promise())


def test_who_tends_other_pipelines_leads_beside_us() -> None:
    """Two repositories on one Redis may both say `production`; and pods with new specs come before the old ones go."""
    one, other = Keys.at("a", "g", "d"), Keys.at("b", "g", "d")
    assert lock_of("production", [one, other]) == lock_of("production", [other, one])
    others = [lock_of("production", [one]), lock_of("production", [other]), lock_of("dev", [one])]
    assert len({lock_of("production", [one, other]), *others}) == 4
