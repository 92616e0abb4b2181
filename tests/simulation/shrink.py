"""Shrinks a failing schedule: fewer faults, fewer messages, a simpler world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .plan import Plan, Setup
from .store import Store, Texts
from .world import TEXTS, run


def shrunk(store: Store, plan: Plan, kind: str, texts: Texts = TEXTS) -> Plan:
    """Shrink a schedule as long as it has the same kind of violation."""

    def fails(one: Plan) -> bool:
        return kind in run(store, one, texts=texts).kinds

    assert fails(plan), f"{plan.seed} has no {kind}"
    while True:
        for smaller in _smaller(plan):
            if fails(smaller):
                plan = smaller
                break
        else:
            return plan


def _smaller(plan: Plan) -> Iterator[Plan]:
    for fault in plan.faults:
        yield plan.without([fault])
    setup = plan.setup
    messages = setup.messages
    for one in messages:
        if len(messages) > 1:
            yield replace(plan, setup=replace(setup, messages=tuple(other for other in messages if other is not one)))
    foreign = any(fault.kind in ("remove", "delete", "destroy") for fault in plan.faults)  # only a janitor repairs that
    simpler: list[Callable[[Setup], Setup]] = [
        lambda one: replace(one, workers=1),
        lambda one: replace(one, workers=one.workers - 1) if one.workers > 2 else one,
        lambda one: replace(one, janitors=min(1, one.janitors)),
        lambda one: one if foreign else replace(one, janitors=0),
        lambda one: replace(one, scale_to_zero=False),
        lambda one: replace(one, page=250),
        lambda one: replace(one, dedup=False),
        lambda one: replace(one, scripts_loaded=True),
        lambda one: replace(one, isolation="none"),
        lambda one: replace(one, style="async"),
        lambda one: replace(one, network="quick"),
        lambda one: replace(one, concurrency=2),
        lambda one: replace(one, max_pending=256),
        lambda one: replace(one, earlier_entries=0),
        lambda one: replace(one, attempts=2),
        lambda one: replace(one, backoff=1.0),
        lambda one: replace(one, timeout=30.0),
        lambda one: replace(one, patience=3.0),
        lambda one: replace(one, messages=tuple(replace(each, delay=0.0) for each in one.messages)),
        lambda one: replace(one, messages=tuple(replace(each, at=0.0) for each in one.messages)),
        *(_plain_kind(number) for number in range(len(messages))),
        *(_no_time(number) for number in range(len(messages))),
    ]
    for simplify in simpler:
        changed = simplify(setup)
        if changed != setup:
            yield replace(plan, setup=changed)


def _plain_kind(number: int) -> Callable[[Setup], Setup]:
    def make(setup: Setup) -> Setup:
        messages = list(setup.messages)
        messages[number] = replace(messages[number], kind="ok")
        return replace(setup, messages=tuple(messages))

    return make


def _no_time(number: int) -> Callable[[Setup], Setup]:
    def make(setup: Setup) -> Setup:
        messages = list(setup.messages)
        messages[number] = replace(messages[number], seconds=0.0)
        return replace(setup, messages=tuple(messages))

    return make
