"""With `scaling.protect_busy`, Kubernetes removes busy pods last."""

import pytest
from event_loop import run_async
from pipeline_driver import Clock, PipelineDriver, UnknownPods
from targets import Target

from penstock.janitor import rounds
from penstock_spec.kinds.pipeline.metrics import janitor

PROTECTED = "{scaling: {protect_busy: true}, stream: {consumer: 'worker-{hostname}'}}"


class RecordedCosts:
    """Records the costs that are set."""

    def __init__(self) -> None:
        self.set: list[tuple[str, int]] = []

    def names(self) -> frozenset[str]:
        raise AssertionError("the pods need not be listed")

    def set_cost(self, pod: str, cost: int) -> None:
        self.set.append((pod, cost))

    def take(self) -> list[tuple[str, int]]:
        """The costs set since the last call."""
        recorded, self.set = sorted(self.set), []
        return recorded


def hold(driver: PipelineDriver, consumer: str, count: int) -> list[str]:
    driver.add(count)
    return driver.read(consumer, count)


def test_costs_follow_held_messages_and_are_set_on_change(target: Target) -> None:
    """Rounded up to powers of two; both consumers of a pod count; idle pods cost nothing."""
    driver = PipelineDriver(target, PROTECTED)
    driver.create_group()
    costs, clock = RecordedCosts(), Clock()
    busy, other, idle = (
        driver.join_group("worker-web-1"),
        driver.join_group("worker-web-2"),
        driver.join_group("worker-web-3"),
    )
    held = hold(driver, busy, 5)
    hold(driver, other, 1)
    hold(driver, driver.join_group("worker-web-2"), 2)
    driver.read("worker-web-9", 1)
    hold(driver, "foreign-1", 3)

    async def scenario() -> None:
        async with driver.janitor(pods=costs, monotonic=clock) as repo:
            await repo.make()
            assert costs.take() == [("web-1", 8), ("web-2", 4), ("web-3", 0)]

            clock.move(rounds.COSTS_EVERY)
            await repo.make()
            assert costs.take() == []

            driver.settle(busy, dict.fromkeys(held, 1))
            hold(driver, idle, 1)
            await repo.make()
            assert costs.take() == [], "the interval has not passed"
            clock.move(rounds.COSTS_EVERY)
            await repo.make()
            assert costs.take() == [("web-1", 0), ("web-3", 1)]

            driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, idle)
            clock.move(rounds.COSTS_EVERY)
            await repo.make()
            assert costs.take() == [("web-3", 0)], "an idle pod costs nothing after its consumer is deleted"

    run_async(scenario())


def test_without_protect_busy_no_pod_is_touched(target: Target) -> None:
    driver = PipelineDriver(target)
    driver.create_group()
    hold(driver, driver.join_group("web-1"), 2)
    costs = RecordedCosts()
    run_async(driver.round(pods=costs))
    assert costs.set == []


@pytest.mark.parametrize("consumer", ["worker", "{hostname}", "{hostname}.team", "a+b-{hostname}"])
def test_pods_are_found_in_consumer_names(target: Target, consumer: str) -> None:
    """Where `stream.consumer` has `{hostname}`; without it no consumer matches a pod."""
    driver = PipelineDriver(target, f"{{scaling: {{protect_busy: true}}, stream: {{consumer: '{consumer}'}}}}")
    driver.create_group()
    hold(driver, driver.join_group(consumer.replace("{hostname}", "web-1")), 2)
    costs = RecordedCosts()

    run_async(driver.round(pods=costs))

    assert costs.set == ([("web-1", 2)] if "{hostname}" in consumer else [])


@pytest.mark.parametrize("name", ["..", "a.b", "-web", "web-", "a" * 64, "web/../nodes", "web%2e", "Web", ""])
def test_a_name_that_no_pod_has_is_not_sent_to_kubernetes(target: Target, name: str) -> None:
    """Anyone who may write to the stream chooses names of consumers; only DNS labels become part of a request."""
    driver = PipelineDriver(target, PROTECTED)
    driver.create_group()
    hold(driver, driver.join_group(f"worker-{name}"), 2)
    hold(driver, driver.join_group("worker-" + "w" * 63), 1)
    costs = RecordedCosts()

    run_async(driver.round(pods=costs))

    assert costs.set == [("w" * 63, 1)]


def test_costs_are_retried_when_the_api_server_is_down(target: Target) -> None:
    """The failure is counted."""
    driver = PipelineDriver(target, PROTECTED)
    driver.create_group()
    hold(driver, driver.join_group("worker-web-1"), 2)

    async def scenario() -> None:
        async with driver.janitor(pods=UnknownPods()) as repo:
            assert not await repo.make()

    run_async(scenario())
    assert driver.counted(janitor.JANITOR_ERRORS, "protect") == 1
