"""With `scaling.protect_busy`, Kubernetes removes pods that work last."""

import pytest
from event_loop import run_async
from pipeline_driver import Clock, PipelineDriver, UnknownPods
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


def hold(driver: PipelineDriver, consumer: str, count: int) -> list[str]:
    driver.add(count)
    return driver.read(consumer, count)


def test_costs_follow_held_messages_and_are_set_on_change(target: Target) -> None:
    """Rounded up to powers of two; both consumers of a pod count; idle pods cost nothing."""
    driver = PipelineDriver(target, PROTECTED)
    driver.create_group()
    costs, clock = Costs(), Clock()
    busy, other, idle = (
        driver.join_group("worker-web-1"),
        driver.join_group("worker-web-2"),
        driver.join_group("worker-web-3"),
    )
    held = hold(driver, busy, 5)
    hold(driver, other, 1)
    hold(driver, driver.join_group("worker-web-2"), 2)
    driver.read("worker-web-9", 1)
    hold(driver, "somebody-else", 3)

    async def scenario() -> None:
        async with driver.janitor(pods=costs, monotonic=clock) as one:
            await one.make()
            assert costs.taken() == [("web-1", 8), ("web-2", 4), ("web-3", 0)]

            clock.move(rounds.COSTS_EVERY)
            await one.make()
            assert costs.taken() == []

            driver.settle(busy, dict.fromkeys(held, 1))
            hold(driver, idle, 1)
            await one.make()
            assert costs.taken() == [], "not before it is time"
            clock.move(rounds.COSTS_EVERY)
            await one.make()
            assert costs.taken() == [("web-1", 0), ("web-3", 1)]

            driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, idle)
            clock.move(rounds.COSTS_EVERY)
            await one.make()
            assert costs.taken() == [("web-3", 0)], "its consumer is gone"

    run_async(scenario())


def test_without_protect_busy_no_pod_is_touched(target: Target) -> None:
    """Then no pod is touched."""
    driver = PipelineDriver(target)
    driver.create_group()
    hold(driver, driver.join_group("web-1"), 2)
    costs = Costs()
    run_async(driver.round(pods=costs))
    assert costs.set == []


@pytest.mark.parametrize("consumer", ["worker", "{hostname}", "{hostname}.team", "a+b-{hostname}"])
def test_pods_are_found_in_consumer_names(target: Target, consumer: str) -> None:
    """The spec says where the pod's name is; without one, no consumer can be matched to a pod."""
    driver = PipelineDriver(target, f"{{scaling: {{protect_busy: true}}, stream: {{consumer: '{consumer}'}}}}")
    driver.create_group()
    hold(driver, driver.join_group(consumer.replace("{hostname}", "web-1")), 2)
    costs = Costs()

    run_async(driver.round(pods=costs))

    assert costs.set == ([("web-1", 2)] if "{hostname}" in consumer else [])


def test_costs_are_retried_when_the_api_server_is_down(target: Target) -> None:
    """The failure is counted, and the costs are set once it answers."""
    driver = PipelineDriver(target, PROTECTED)
    driver.create_group()
    hold(driver, driver.join_group("worker-web-1"), 2)

    async def scenario() -> None:
        async with driver.janitor(pods=UnknownPods()) as one:
            assert not await one.make()

    run_async(scenario())
    assert driver.counted(janitor.JANITOR_ERRORS, "protect") == 1
