"""Compares the ledger with what is in Redis at rest, and counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

from fault_journal import Send, Step

from . import load
from .storm import Storm

WAITING = 3.0
"""Seconds after which no read waits any more that began before: three times `work.block`."""
SHOWN = 5
"""How many examples of one violation are shown."""


@dataclass(slots=True)
class Result:
    """The result of one storm."""

    family: str
    seed: int
    seconds: float = 0.0
    messages: int = 0
    acknowledged: int = 0
    unknown: int = 0
    refused: int = 0
    done: int = 0
    dead: int = 0
    lost: int = 0
    """Acknowledged, neither done nor dead, because Redis itself lost them. Any other loss is a violation."""
    run_twice: int = 0
    """Messages whose handler ended more than once. Delivery is at least once, so that is allowed."""
    violations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: str = ""
    """Why this machine cannot run the storm."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Facts:
    """The ledger and Redis at rest."""

    sends: list[Send]
    steps: list[Step]
    dead: list[tuple[str, str]]
    """The body and the entry of each dead letter."""
    results: dict[str, int | None]
    """The fence in the result that was left for a message; None if there is none."""
    excused: frozenset[str] = frozenset()
    """Messages that Redis itself may have lost."""
    is_new_history: bool = False
    buries_twice: bool = False
    """Whether dead letters may be written twice."""
    attempts: int = load.ATTEMPTS
    fences_excused: frozenset[str] = frozenset()
    """Messages of such a stream that may have a fence twice."""
    regrouped: tuple[float, ...] = ()
    """When the group of a stream that keeps history vanished or was set back: finished messages may run again."""


def facts_of(storm: Storm) -> Facts:
    """Read the ledger and Redis."""
    steps, sent = storm.steps(), storm.sends()
    dead = [(_body_of(letter), letter["penstock-dead-id"]) for letter in storm.trial.dead()]
    left = {one.message for one in steps if one.what == "end" and one.body.partition("-")[0] in load.LEFT_RESULTS}
    results = {message: _fence_of(storm.ask("GET", f"{{trial}}:trial:result:{message}")) for message in left}
    attempted = {one.body: one.at for one in sent if one.what == "attempted"}
    known = {one.body: one.at for one in sent if one.what == "acknowledged"}
    excused = {
        body
        for body, at in attempted.items()
        if at < storm.excused_before and known.get(body, float("inf")) >= storm.excused_after
    }
    return Facts(
        sent,
        steps,
        dead,
        results,
        frozenset(excused | storm.lost_with_consumers),
        storm.is_new_history,
        storm.buries_twice,
        storm.attempts,
        _with_old_fence(steps, storm.set_back),
        tuple(storm.regrouped),
    )


def _with_old_fence(steps: list[Step], set_back: list[float]) -> frozenset[str]:
    """Messages that began just after a group was set back: a read that waited may deliver them with an old fence."""
    return frozenset(
        one.body for one in steps if one.what == "begin" and any(at <= one.at <= at + WAITING for at in set_back)
    )


def _body_of(letter: dict[str, str]) -> str:
    text = letter["data"]
    return text.partition('"id":')[2].split('"')[1]


def _fence_of(reply: object) -> int | None:
    if not isinstance(reply, str):
        return None
    return int(reply.partition('"fence":')[2].partition(",")[0])


def fill(result: Result, facts: Facts) -> None:
    """Count, and add the violations."""
    said: dict[str, set[str]] = defaultdict(set)
    for one in facts.sends:
        said[one.what].add(one.body)
    begun, ended = by_body(facts, "begin"), by_body(facts, "end")
    dead = Counter(body for body, _ in facts.dead)
    result.messages = len(said["attempted"])
    result.acknowledged, result.unknown = len(said["acknowledged"]), len(said["unknown"])
    result.refused = len(said["refused"])
    result.done, result.dead = len(ended), len(dead)
    result.run_twice = sum(len(steps) > 1 for steps in ended.values())
    missing = {body for body in said["acknowledged"] if body not in ended and body not in dead}
    result.lost = len(missing & facts.excused)

    def violate(what: str, bodies: set[str]) -> None:
        if bodies:
            some = ", ".join(_story(body, facts) for body in sorted(bodies)[:SHOWN])
            result.violations.append(f"{what}: {len(bodies)} ({some})")

    violate("P1 acknowledged and lost", missing - facts.excused)
    violate("sent although it was refused", said["refused"] & (set(begun) | set(dead)))
    violate("must be dead, but was done", {body for body in ended if _kind(body) in load.NEVER_DONE})
    violate(
        "P4 buried without a reason",
        {body for body in dead if not _may_be_dead(body, begun.get(body, []), facts.attempts)},
    )
    entries: dict[str, set[str]] = defaultdict(set)
    for step in facts.steps:
        entries[step.body].add(step.entry)
    for body, entry in facts.dead:
        entries[body].add(entry)
    violate("one send() became several entries", {b for b, e in entries.items() if len(e) > 1} - facts.excused)
    if facts.is_new_history:
        return
    again = _ran_again(begun, facts)
    violate("P5 began before it was due", _too_early(begun, facts))
    twice = {body for body, count in dead.items() if count > 1} - again
    if facts.buries_twice:
        result.notes.append(f"{len(twice)} dead letters were written twice")
    else:
        violate("dead twice", twice)
    fences = Counter((one.body, one.entry, one.fence) for one in facts.steps if one.what == "begin")
    violate(
        "P8 a fence was used twice",
        {body for (body, _, _), count in fences.items() if count > 1} - facts.fences_excused,
    )
    violate("P4 more attempts than allowed", {o.body for o in facts.steps if o.attempt > facts.attempts + 1})
    violate("done and dead", {body for body in ended if body in dead} - again)
    violate("P3 settled by an earlier owner", _settled_by_earlier(facts))
    violate("done without its result", {o.body for o in facts.steps if o.message in _without_result(facts)})


def by_body(facts: Facts, what: str) -> dict[str, list[Step]]:
    """The steps of one kind, by message."""
    grouped: dict[str, list[Step]] = defaultdict(list)
    for one in facts.steps:
        if one.what == what:
            grouped[one.body].append(one)
    return dict(grouped)


def _kind(body: str) -> str:
    return body.partition("-")[0]


def _may_be_dead(body: str, begun: list[Step], attempts: int) -> bool:
    """Whether it was planned, or so many of its attempts began that all may have been lost with their workers."""
    return _kind(body) in load.NEVER_DONE or len(begun) >= attempts


def _ran_again(begun: dict[str, list[Step]], facts: Facts) -> set[str]:
    """Messages that may have run again although they were finished."""
    return {
        body for body, steps in begun.items() if any(steps[0].at < moment < steps[-1].at for moment in facts.regrouped)
    }


def _too_early(begun: dict[str, list[Step]], facts: Facts) -> set[str]:
    due = {one.body: one.at + load.DELAY for one in facts.sends if one.what == "attempted"}
    return {body for body, steps in begun.items() if _kind(body) == "later" and steps[0].at < due.get(body, 0)}


def _settled_by_earlier(facts: Facts) -> set[str]:
    """Messages whose result is from an owner before the last one that began: its settle had to be refused."""
    highest: dict[str, int] = defaultdict(int)
    bodies: dict[str, str] = {}
    for one in facts.steps:
        if one.what == "begin":
            highest[one.message] = max(highest[one.message], one.fence)
            bodies[one.message] = one.body
    return {bodies[m] for m, fence in facts.results.items() if fence is not None and fence < highest[m]}


def _without_result(facts: Facts) -> set[str]:
    return {message for message, fence in facts.results.items() if fence is None}


def _story(body: str, facts: Facts) -> str:
    """What the ledger has about a message."""
    told = [one.what for one in facts.sends if one.body == body]
    ran = [f"{one.what} {one.entry} f{one.fence} a{one.attempt} p{one.pid}" for one in facts.steps if one.body == body]
    return f"{body} [{' '.join(told)}; {'; '.join(ran)}]"
