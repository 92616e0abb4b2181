"""A schedule is a seed: what it did once, it does again."""

import json
from dataclasses import replace
from typing import cast

import pytest

from .plan import Plan
from .profiles import plan_of
from .store import Store
from .world import run

PLANS = [("all", 3), ("race", 7), ("foreign", 5), ("pauses", 2)]


@pytest.mark.parametrize(("profile", "seed"), PLANS)
def test_same_again(store: Store, profile: str, seed: int) -> None:
    """The same seed gives the same trace, line by line."""
    plan = plan_of(profile, seed)
    first = run(store, plan, traced=True)
    assert len(first.trace) > 10
    assert run(store, plan, traced=True).trace == first.trace


@pytest.mark.parametrize(("profile", "seed"), PLANS)
def test_answers_from_memory(store: Store, profile: str, seed: int) -> None:
    """A schedule in which every question goes to the server is the same, and costs more."""
    plan = plan_of(profile, seed)
    quick, whole = run(store, plan, traced=True), run(store, plan, traced=True, memory=False)
    assert quick.trace == whole.trace
    assert quick.commands < whole.commands


def test_the_clock_of_the_server_ends_no_lease(store: Store) -> None:
    """Only virtual time passes in a schedule, so a slow machine does not change it."""
    run(store, plan_of("all", 3))
    [keys] = cast("list[list[bytes]]", store.ask(("KEYS", "*")))
    expire = {key: store.ask(("PTTL", key))[0] for key in keys if b":dedup:" not in key}
    assert any(key.startswith(b"penstock:janitor:") for key in expire)
    assert set(expire.values()) == {-1}


def test_seeds_differ(store: Store) -> None:
    """Another seed is another order of things, also where the same goes wrong."""
    plan = plan_of("all", 3)
    assert run(store, plan, traced=True).trace != run(store, replace(plan, seed="another"), traced=True).trace


@pytest.mark.parametrize(("profile", "seed"), PLANS)
def test_written_and_read(profile: str, seed: int) -> None:
    """A schedule that was written down is the same schedule."""
    plan = plan_of(profile, seed)
    assert Plan.of(json.loads(json.dumps(plan.told()))) == plan
