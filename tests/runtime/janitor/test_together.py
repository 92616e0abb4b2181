"""Several janitors at once, beside workers and beside others who delete keys."""

import asyncio
import random
from collections import Counter

import pytest
from promises import keep
from stage import LEASE, Clock, Stage
from targets import Target

from penstock.janitor import reconcile
from penstock.keys import PARKED, READY, SUSPECT
from penstock.maintenance import takeover

pytestmark = pytest.mark.wire

MESSAGES = 400
FAULTS = ("parked", "uncharged", "crashed", "position", PARKED, READY, SUSPECT, "group", "die")


class WorkerModel:
    """A worker that reads, claims, parks and settles; and the result of each message."""

    def __init__(self, stage: Stage, chance: random.Random) -> None:
        self.stage = stage
        self.chance = chance
        self.settled: Counter[str] = Counter()
        self.life = stage.life()

    def step(self) -> None:
        stage = self.stage
        count = self.chance.randint(1, 6)
        new = dict.fromkeys(stage.read(self.life, count), 1)
        told = stage.try_claim(self.life, count)
        if not isinstance(told, list):
            self.life = stage.life()
            return
        held = new | {str(one[0]): int(str(one[1])) for one in told[2:] if isinstance(one, list)}
        parked = [entry for entry in held if self.chance.random() < 0.2]
        for entry in parked:
            self._park(entry, held.pop(entry))
        if held:
            answers = stage.settle(self.life, held)
            assert isinstance(answers, list)
            self.settled.update(entry for entry, answer in zip(held, answers, strict=True) if answer == 1)

    def _park(self, entry: str, count: int) -> None:
        keys = self.stage.keys
        around = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
        wait = self.chance.choice((0, 20))
        self.stage.run("park", around, keys.group, self.life, entry, entry, entry, count, wait, 0, 0)

    def fault(self, what: str) -> None:
        """Somebody deletes something, or this worker dies and another starts."""
        keys = self.stage.keys
        if what == "die":
            self.stage.ask("ZADD", keys.alive, -(self.stage.now() - 1), self.life)
            self.life = self.stage.life()
        elif what == "group":
            self.stage.ask("XGROUP", "DESTROY", keys.stream, keys.group)
            around = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
            self.stage.run("ensure", around, keys.group, "until-done")
            self.life = self.stage.life()
        elif what.startswith("~"):
            self.stage.ask("XGROUP", "DELCONSUMER", keys.stream, keys.group, what)
        else:
            self.stage.ask("DEL", getattr(keys, what))


@pytest.mark.parametrize("seed", range(6))
def test_no_message_is_lost_or_settled_twice(target: Target, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Three janitors with small pages: each message is settled once, whichever side keys are deleted."""
    for module, name in ((reconcile, "PAGE"), (reconcile, "ENTRIES"), (takeover, "PAGE")):
        monkeypatch.setattr(module, name, 7)
    chance = random.Random(seed)  # noqa: S311 - a test's dice
    stage = Stage(target)
    keep(stage.round())
    work = WorkerModel(stage, chance)
    ids: list[str] = []

    async def promise() -> None:
        clock = Clock()
        async with (
            stage.janitor(monotonic=clock) as first,
            stage.janitor(monotonic=clock) as second,
            stage.janitor() as third,
        ):
            for _ in range(4):  # a lease of contact, by their own clock
                await asyncio.gather(first.make(), second.make())
                clock.move(LEASE / 4000)
            while stage.number("XLEN", stage.keys.stream) or len(ids) < MESSAGES:
                if len(ids) < MESSAGES:
                    ids.extend(stage.add(chance.randint(1, 8)))
                    if chance.random() < 0.3:
                        work.fault(chance.choice(FAULTS))
                work.step()
                await asyncio.gather(first.make(), second.make(), third.make())

    keep(promise())
    assert work.settled == Counter(ids)
