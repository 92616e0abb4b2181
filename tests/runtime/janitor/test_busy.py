"""With `scaling.protect_busy`, Kubernetes removes pods that work last."""

import pytest
from promises import keep
from stage import Clock, Nobody, Stage
from targets import Target

from penstock.janitor import rounds
from penstock_spec.kinds.pipeline.metrics import janitor

PROTECTED = "{scaling: {protect_busy: true}, stream: {consumer: 'worker-{hostname}'}}"


class Costs:
    """What was set."""

    def __init__(self) -> None:
        self.set: list[tuple[str, int]] = []

    def names(self) -> frozenset[str]:
        raise AssertionError("nobody needs to ask")

    def set_cost(self, pod: str, cost: int) -> None:
        self.set.append((pod, cost))

    def taken(self) -> list[tuple[str, int]]:
        """Since the last time."""
        told, self.set = sorted(self.set), []
        return told


def hold(stage: Stage, consumer: str, count: int) -> list[str]:
    stage.add(count)
    return stage.read(consumer, count)


def test_costs_follow_held_messages_and_are_set_on_change(target: Target) -> None:
    """Rounded up to powers of two; both consumers of a pod count; idle pods cost nothing."""
    stage = Stage(target, PROTECTED)
    stage.make()
    costs, clock = Costs(), Clock()
    busy, other, idle = stage.life("worker-web-1"), stage.life("worker-web-2"), stage.life("worker-web-3")
    held = hold(stage, busy, 5)
    hold(stage, other, 1)
    hold(stage, stage.life("worker-web-2"), 2)
    stage.read("worker-web-9", 1)
    hold(stage, "somebody-else", 3)

    async def promise() -> None:
        async with stage.janitor(pods=costs, monotonic=clock) as one:
            await one.make()
            assert costs.taken() == [("web-1", 8), ("web-2", 4), ("web-3", 0)]

            clock.move(rounds.COSTS_EVERY)
            await one.make()
            assert costs.taken() == []

            stage.settle(busy, dict.fromkeys(held, 1))
            hold(stage, idle, 1)
            await one.make()
            assert costs.taken() == [], "not before it is time"
            clock.move(rounds.COSTS_EVERY)
            await one.make()
            assert costs.taken() == [("web-1", 0), ("web-3", 1)]

            stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, idle)
            clock.move(rounds.COSTS_EVERY)
            await one.make()
            assert costs.taken() == [("web-3", 0)], "its consumer is gone"

    keep(promise())


def test_without_protect_busy_no_pod_is_touched(target: Target) -> None:
    """Then no pod is touched."""
    stage = Stage(target)
    stage.make()
    hold(stage, stage.life("web-1"), 2)
    costs = Costs()
    keep(stage.round(pods=costs))
    assert costs.set == []


@pytest.mark.parametrize("consumer", ["worker", "{hostname}", "{hostname}.team", "a+b-{hostname}"])
def test_pods_are_found_in_consumer_names(target: Target, consumer: str) -> None:
    """The spec says where the pod's name is; without one, no consumer can be matched to a pod."""
    stage = Stage(target, f"{{scaling: {{protect_busy: true}}, stream: {{consumer: '{consumer}'}}}}")
    stage.make()
    hold(stage, stage.life(consumer.replace("{hostname}", "web-1")), 2)
    costs = Costs()

    keep(stage.round(pods=costs))

    assert costs.set == ([("web-1", 2)] if "{hostname}" in consumer else [])


def test_costs_are_retried_when_the_api_server_is_down(target: Target) -> None:
    """The failure is counted, and the costs are set once it answers."""
    stage = Stage(target, PROTECTED)
    stage.make()
    hold(stage, stage.life("worker-web-1"), 2)

    async def promise() -> None:
        async with stage.janitor(pods=Nobody()) as one:
            assert not await one.make()

    keep(promise())
    assert stage.counted(janitor.JANITOR_ERRORS, "protect") == 1
