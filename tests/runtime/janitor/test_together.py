"""Several janitors at once, beside workers and beside others who delete keys."""

import asyncio
import random
from collections import Counter

import pytest
from event_loop import run_async
from pipeline_driver import LEASE, Clock, PipelineDriver
from targets import Target

from penstock.janitor import reconcile
from penstock.keys import PARKED, READY, SUSPECT
from penstock.maintenance import takeover

pytestmark = pytest.mark.wire

MESSAGES = 400
FAULTS = ("parked", "uncharged", "crashed", "position", PARKED, READY, SUSPECT, "group", "die")


class WorkerModel:
    """A worker that reads, claims, parks and settles; and the result of each message."""

    def __init__(self, driver: PipelineDriver, chance: random.Random) -> None:
        self.driver = driver
        self.chance = chance
        self.settled: Counter[str] = Counter()
        self.life = driver.join_group()

    def step(self) -> None:
        driver = self.driver
        count = self.chance.randint(1, 6)
        new = dict.fromkeys(driver.read(self.life, count), 1)
        told = driver.try_claim(self.life, count)
        if not isinstance(told, list):
            self.life = driver.join_group()
            return
        held = new | {str(one[0]): int(str(one[1])) for one in told[2:] if isinstance(one, list)}
        parked = [entry for entry in held if self.chance.random() < 0.2]
        for entry in parked:
            self._park(entry, held.pop(entry))
        if held:
            answers = driver.settle(self.life, held)
            assert isinstance(answers, list)
            self.settled.update(entry for entry, answer in zip(held, answers, strict=True) if answer == 1)

    def _park(self, entry: str, count: int) -> None:
        keys = self.driver.keys
        around = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
        wait = self.chance.choice((0, 20))
        self.driver.run("park", around, keys.group, self.life, entry, entry, entry, count, wait, 0, 0)

    def fault(self, what: str) -> None:
        """Somebody deletes something, or this worker dies and another starts."""
        keys = self.driver.keys
        if what == "die":
            self.driver.ask("ZADD", keys.alive, -(self.driver.now() - 1), self.life)
            self.life = self.driver.join_group()
        elif what == "group":
            self.driver.ask("XGROUP", "DESTROY", keys.stream, keys.group)
            around = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
            self.driver.run("ensure", around, keys.group, "until-done")
            self.life = self.driver.join_group()
        elif what.startswith("~"):
            self.driver.ask("XGROUP", "DELCONSUMER", keys.stream, keys.group, what)
        else:
            self.driver.ask("DEL", getattr(keys, what))


@pytest.mark.parametrize("seed", range(6))
def test_no_message_is_lost_or_settled_twice(target: Target, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Three janitors with small pages: each message is settled once, whichever side keys are deleted."""
    for module, name in ((reconcile, "PAGE"), (reconcile, "ENTRIES"), (takeover, "PAGE")):
        monkeypatch.setattr(module, name, 7)
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    driver = PipelineDriver(target)
    run_async(driver.round())
    work = WorkerModel(driver, chance)
    ids: list[str] = []

    async def scenario() -> None:
        clock = Clock()
        async with (
            driver.janitor(monotonic=clock) as first,
            driver.janitor(monotonic=clock) as second,
            driver.janitor() as third,
        ):
            for _ in range(4):  # a lease of contact, by their own clock
                await asyncio.gather(first.make(), second.make())
                clock.move(LEASE / 4000)
            while driver.number("XLEN", driver.keys.stream) or len(ids) < MESSAGES:
                if len(ids) < MESSAGES:
                    ids.extend(driver.add(chance.randint(1, 8)))
                    if chance.random() < 0.3:
                        work.fault(chance.choice(FAULTS))
                work.step()
                await asyncio.gather(first.make(), second.make(), third.make())

    run_async(scenario())
    assert work.settled == Counter(ids)
