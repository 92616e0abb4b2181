"""A schedule is reproducible: its seed determines everything."""

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
def test_the_same_seed_gives_the_same_trace(store: Store, profile: str, seed: int) -> None:
    """The two traces are equal line by line."""
    plan = plan_of(profile, seed)
    first = run(store, plan, traced=True)
    assert len(first.trace) > 10
    assert run(store, plan, traced=True).trace == first.trace


@pytest.mark.parametrize(("profile", "seed"), PLANS)
def test_cached_replies_change_nothing(store: Store, profile: str, seed: int) -> None:
    """A schedule without the cache has the same trace, with more commands."""
    plan = plan_of(profile, seed)
    cached, uncached = run(store, plan, traced=True), run(store, plan, traced=True, cached=False)
    assert cached.trace == uncached.trace
    assert cached.commands < uncached.commands


def test_the_clock_of_the_server_ends_no_lease(store: Store) -> None:
    """Only virtual time passes in a schedule, so a slow machine does not change it."""
    run(store, plan_of("all", 3))
    [keys] = cast("list[list[bytes]]", store.ask(("KEYS", "*")))
    expire = {key: store.ask(("PTTL", key))[0] for key in keys if b":dedup:" not in key}
    assert any(key.startswith(b"penstock:janitor:") for key in expire)
    assert set(expire.values()) == {-1}


def test_different_seeds_give_different_traces(store: Store) -> None:
    """The traces differ even with the same faults."""
    plan = plan_of("all", 3)
    assert run(store, plan, traced=True).trace != run(store, replace(plan, seed="another"), traced=True).trace


@pytest.mark.parametrize(("profile", "seed"), PLANS)
def test_a_schedule_survives_json(profile: str, seed: int) -> None:
    """A schedule that is written as JSON and read again is equal."""
    plan = plan_of(profile, seed)
    assert Plan.of(json.loads(json.dumps(plan.to_json()))) == plan
