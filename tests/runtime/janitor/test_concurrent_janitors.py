"""Several janitors run at once with workers, while keys are deleted."""

import asyncio
import random
from collections import Counter

import pytest
from event_loop import run_async
from pipeline_driver import LEASE, Clock, PipelineDriver
from targets import Target

from penstock.janitor import reconcile
from penstock.keys import PARKED, READY, SUSPECT
from penstock.maintenance import takeover, unowned

pytestmark = pytest.mark.wire

MESSAGES = 400
FAULTS = ("parked", "uncharged", "crashed", "position", PARKED, READY, SUSPECT, "group", "die")


class WorkerModel:
    """A worker that reads, claims, parks and settles, and counts the settled messages."""

    def __init__(self, driver: PipelineDriver, chance: random.Random) -> None:
        self.driver = driver
        self.chance = chance
        self.settled: Counter[str] = Counter()
        self.consumer = driver.join_group()

    def step(self) -> None:
        driver = self.driver
        count = self.chance.randint(1, 6)
        new = dict.fromkeys(driver.read(self.consumer, count), 1)
        claimed = driver.try_claim(self.consumer, count)
        if not isinstance(claimed, list):
            self.consumer = driver.join_group()
            return
        held = new | {str(one[0]): int(str(one[1])) for one in claimed[2:] if isinstance(one, list)}
        parked = [entry for entry in held if self.chance.random() < 0.2]
        for entry in parked:
            self._park(entry, held.pop(entry))
        if held:
            replies = driver.settle(self.consumer, held)
            assert isinstance(replies, list)
            self.settled.update(entry for entry, reply in zip(held, replies, strict=True) if reply == 1)

    def _park(self, entry: str, count: int) -> None:
        keys = self.driver.keys
        script_keys = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
        wait = self.chance.choice((0, 20))
        self.driver.run("park", script_keys, keys.group, self.consumer, 1, entry, entry, entry, count, wait, 0, 0)

    def fault(self, kind: str) -> None:
        """Delete a key, a consumer or the group; or let this worker die and start another."""
        keys = self.driver.keys
        if kind == "die":
            self.driver.ask("ZADD", keys.alive, -(self.driver.now() - 1), self.consumer)
            self.consumer = self.driver.join_group()
        elif kind == "group":
            self.driver.ask("XGROUP", "DESTROY", keys.stream, keys.group)
            around = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished, keys.alive)
            self.driver.run("ensure", around, keys.group, "until-done")
            self.consumer = self.driver.join_group()
        elif kind.startswith("~"):
            self.driver.ask("XGROUP", "DELCONSUMER", keys.stream, keys.group, kind)
        else:
            self.driver.ask("DEL", getattr(keys, kind))


@pytest.mark.parametrize("seed", range(6))
def test_no_message_is_lost_or_settled_twice(target: Target, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Three janitors with small pages settle each message once, whichever side keys are deleted."""
    for module, name in ((reconcile, "PAGE"), (unowned, "ENTRIES"), (takeover, "PAGE")):
        monkeypatch.setattr(module, name, 7)
    chance = random.Random(seed)  # noqa: S311 - no secret
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
            for _ in range(4):  # one lease of contact, by their own clock
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
