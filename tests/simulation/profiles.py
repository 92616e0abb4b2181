"""Random schedules. A profile defines which faults occur, how often, and with which commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from .plan import LONG, Fault, Plan, PlannedMessage, Setup
from .universe import seeded_random

KINDS = (
    "ok",
    "ok",
    "ok",
    "flaky",
    "bad",
    "slow",
    "stubborn",
    "reluctant",
    "poison",
    "worker-killer",
    "blocker",
    "result",
)
SECONDS = (0.0, 0.0, 0.5, 3.0, 14.0)
STEPS = {
    "reader": ("XREADGROUP",),
    "settler": (
        "*",
        "claim",
        "settle",
        "park",
        "give_back",
        "bury",
        "promote",
        "XPENDING",
        "overdue",
        "take_over",
        "settle_with",
    ),
    "lease": ("*", "register", "renew"),
    "leader": ("lead",),
    "work": ("*", "promote", "overdue", "take_over", "reconcile_stream", "reconcile_due", "ensure"),
}
LEAVES = ("settle", "park", "give_back", "bury", "settle_with")
CROWDED = 0.4
"""The share of schedules in which all faults happen at about the same time."""
TWINS = 0.3
"""The share of schedules in which a process fault joins a fault of one of its commands."""
MOMENTS = ("issued", "executed", "answered")
REFUSALS = (
    "OOM command not allowed when used memory > 'maxmemory'.",
    "READONLY You can't write against a read only replica.",
    "LOADING Redis is loading the dataset in memory",
    "MISCONF Redis is configured to save RDB snapshots",
    "BUSY Redis is busy running a script.",
)


@dataclass(frozen=True, slots=True)
class Profile:
    """The possible faults, by weight."""

    faults: Mapping[str, float]
    roles: Sequence[str] = ("reader", "settler", "lease")
    kinds: Sequence[str] = KINDS
    seconds: Sequence[float] = SECONDS
    backoffs: Sequence[float] = (1.0, 3.0, 25.0)
    attempts: Sequence[int] = (1, 2, 2, 3)
    workers: Sequence[int] = (1, 2, 2, 3)
    janitors: Sequence[int] = (0, 1, 1, 2)
    most: int = 5
    """The highest number of faults in a schedule."""
    messages: Sequence[int] = (1, 2, 3, 3, 5)
    delays: Sequence[float] = (0.0, 0.0, 0.0, 6.0)
    pages: Sequence[int] = (250, 250, 1)
    styles: Sequence[str] = ("async", "async", "thread")
    when_lost: str = "cancel"
    steps: Sequence[str] = ()
    """The only commands that faults of commands affect; empty for all."""
    dedup: float = 0.3
    """The share of schedules with deduplication."""
    removed: Sequence[str] = ("~parked", "~ready", "~suspect", "", "")
    """The consumers that foreign clients delete; empty for a worker's."""
    history: bool = False
    """Whether finished entries stay in the stream."""
    keep: int = 1_000_000
    """How many entries stay then."""
    until: float = 0.9
    """The share of the schedule in which faults begin."""
    memory: Sequence[str] = ("ample",)
    deleted: Sequence[str] = field(default=("parked", "alive", "delayed", "uncharged", "crashed", "position"))


WIRE = {"lose": 1.0, "mute": 1.5, "late": 1.0, "hold": 1.0, "slow": 1.0, "half-open": 0.7, "refuse": 0.4}
DEATH = {"crash": 1.5, "stall": 1.0, "wake": 0.4, "drain": 0.7, "spawn": 0.3}
SERVER = {"pause": 0.5, "reboot": 0.3, "full": 0.3, "flush": 0.3}
FOREIGN = {"remove": 1.0, "delete": 1.0, "destroy": 0.7}
PARTITION = {"partition": 0.6, "cut": 0.3}

PROFILES: dict[str, Profile] = {
    "own": Profile({**WIRE, **DEATH, **SERVER, **PARTITION}),
    "net": Profile({**WIRE, **PARTITION, "drain": 0.4}),
    "deaths": Profile({**DEATH, "mute": 0.5}, most=6),
    "poison": Profile(
        {"crash": 0.6, "mute": 0.5, "drain": 0.4, "stall": 0.3}, kinds=("ok", "ok", "poison", "poison", "worker-killer")
    ),
    "memory": Profile(
        {"crash": 1.0, "mute": 0.5, "drain": 0.4, "stall": 0.5},
        kinds=("ok", "ok", "ok", "flaky", "poison", "slow"),
        memory=("tight", "tight", "varying"),
    ),
    "large": Profile(
        {"crash": 0.7, "mute": 0.5, "drain": 0.4, "stall": 0.3, "lose": 0.5},
        kinds=("ok", "ok", "flaky", "huge", "huge"),
        memory=("ample", "varying"),
        messages=(1, 2, 3, 3),
    ),
    "race": Profile(
        {"lose": 1, "mute": 2, "hold": 2, "slow": 2, "half-open": 2, "late": 1, "drain": 0.3},
        roles=("reader", "settler"),
        kinds=("flaky", "flaky", "ok", "bad"),
        seconds=(0.0, 0.0, 1.0),
        backoffs=(1.0,),
        most=7,
    ),
    "zombie": Profile(
        {"stall": 3, "wake": 1, "block": 1.5, "hold": 0.5, "mute": 1, "drain": 0.3},
        kinds=("ok", "flaky", "bad", "slow", "stubborn", "reluctant"),
        workers=(1, 1, 2),
        seconds=(1.0, 14.0, 25.0),
        styles=("thread", "async"),
        backoffs=(1.0,),
    ),
    "lasting": Profile(
        {"stall": 2, "partition": 2, "block": 1, "pause": 0.5, "hold": 0.5, "mute": 1, "drain": 0.3},
        kinds=("ok", "ok", "flaky", "bad", "slow", "reluctant"),
        workers=(1, 2, 2),
        seconds=(1.0, 14.0, 25.0),
        styles=("async",),
        when_lost="continue",
    ),
    "drains": Profile(
        {"drain": 3, "mute": 1.5, "slow": 1, "hold": 1, "crash": 0.3, "partition": 0.5, "pause": 0.5},
        steps=("XREADGROUP", "XREADGROUP", "claim", "settle", "give_back", "XPENDING", "deregister"),
    ),
    "pauses": Profile({"pause": 3, "stall": 0.7, "crash": 0.5, "late": 0.5, "full": 1, "reboot": 1}, janitors=(1, 2)),
    "pages": Profile(
        {"stall": 3, "wake": 2, "hold": 1, "slow": 1, "crash": 0.5, "partition": 0.5},
        kinds=("ok",),
        seconds=(14.0, 25.0),
        pages=(1,),
        attempts=(2, 3),
        most=7,
        steps=("take_over", "take_over", "overdue", "renew", "claim"),
        messages=(3, 5),
    ),
    "foreign": Profile({**DEATH, **FOREIGN, "mute": 1.0, "flush": 0.3}, janitors=(1, 2)),
    "force": Profile(
        {"remove": 1.2, "late": 2, "mute": 1.5, "lose": 1, "hold": 1},
        roles=("settler",),
        kinds=("flaky", "bad", "ok"),
        janitors=(1,),
    ),
    "regroup": Profile(
        {"destroy": 1.5, "mute": 1, "late": 1, "drain": 0.5, "crash": 0.3},
        roles=("settler", "reader"),
        kinds=("flaky", "bad", "ok"),
        janitors=(1,),
    ),
    "keys": Profile(
        {"delete": 1.5, "remove": 0.5, "crash": 0.5, "drain": 0.5},
        kinds=("flaky", "bad", "ok", "poison"),
        janitors=(1,),
        delays=(0.0, 6.0, 20.0),
    ),
    "resend": Profile(
        {"mute": 2, "lose": 1, "late": 1, "slow": 0.5, "crash": 0.3},
        kinds=("bad", "unreadable", "ok", "poison"),
        attempts=(1, 1, 2),
        steps=("send", "send", "bury"),
        dedup=1.0,
        until=0.1,
    ),
    "history": Profile(
        {"destroy": 1.5, "remove": 2, "mute": 0.7, "late": 0.7, "crash": 0.7, "drain": 0.4, "stall": 0.3},
        kinds=("flaky", "flaky", "bad", "ok", "poison"),
        seconds=(0.0, 0.5, 3.0, 14.0),
        backoffs=(1.0, 3.0, 12.0),
        janitors=(1, 1, 2),
        removed=("~parked", "~ready", "~suspect"),
        history=True,
    ),
    "history-consumers": Profile(  # without crashes: a worker that is lost as well takes its first attempts with it
        {"remove": 3, "hold": 0.5, "slow": 0.5},
        roles=("reader",),
        kinds=("flaky", "flaky", "bad", "ok"),
        seconds=(0.5, 3.0, 14.0),
        backoffs=(1.0, 3.0, 12.0),
        janitors=(1, 1, 2),
        history=True,
    ),
    "history-trim": Profile(  # a consumer is deleted between the steps of a round in which finished entries are trimmed
        {"remove": 3, "hold": 0.5, "crash": 0.3, "drain": 0.3},
        roles=("settler",),
        kinds=("flaky", "flaky", "bad", "ok"),
        seconds=(0.0, 0.5, 3.0),
        backoffs=(3.0, 12.0),
        messages=(3, 5),
        janitors=(1, 1, 2),
        removed=("~parked", "~parked", "~ready", "~suspect"),
        history=True,
        keep=1,
    ),
    "beside": Profile(  # a second group, such as one for debugging
        {"beside": 2, "mute": 1, "late": 0.7, "crash": 0.7, "drain": 0.5, "stall": 0.3},
        kinds=("ok", "ok", "flaky", "bad", "result"),
        janitors=(1, 1, 2),
    ),
    "janitors": Profile(
        {**WIRE, "restart": 2, "crash": 1, "stall": 1, "pause": 0.5},
        roles=("work", "leader", "settler"),
        janitors=(1, 2, 2),
    ),
    "all": Profile(
        {**WIRE, **DEATH, **SERVER, **PARTITION, **FOREIGN, "restart": 0.5, "block": 0.5}, janitors=(1, 2), most=7
    ),
}


def plan_of(profile: str, seed: int) -> Plan:
    """The schedule of a seed."""
    of = PROFILES[profile]
    rng = seeded_random(f"{profile}/{seed}")
    setup = _setup(of, rng)
    faults = [_fault(of, setup, rng) for _ in range(rng.randint(1, of.most))]
    if rng.random() < TWINS:
        faults += _twin(of, faults, setup, rng)
    if rng.random() < CROWDED:
        center = rng.choice(faults).at
        faults = [replace(one, at=round(center + rng.uniform(0, 4), 3)) for one in faults]
    return Plan(f"{profile}/{seed}", setup, tuple(sorted(faults, key=lambda one: one.at)))


def _setup(of: Profile, rng: Random) -> Setup:
    pick = rng.choice
    timeout = pick((10.0, 30.0))
    messages = []
    for number in range(pick(of.messages)):
        kind = pick(of.kinds)
        seconds = timeout + 5.0 if kind in ("slow", "stubborn") else pick(of.seconds)
        sent = pick((0.0, 0.0, 0.0, rng.uniform(0, 20)))
        messages.append(PlannedMessage(f"m{number + 1}", kind, seconds, pick(of.delays), sent))
    if rng.random() < 0.05:
        messages.append(PlannedMessage(f"m{len(messages) + 1}", "unreadable"))
    return Setup(
        tuple(messages),
        workers=pick(of.workers),
        janitors=pick(of.janitors),
        attempts=pick(of.attempts),
        backoff=pick(of.backoffs),
        concurrency=pick((1, 2, 2, 3)),
        max_pending=pick((256, 256, 2)),
        timeout=timeout,
        grace=pick((12.0, 30.0)),
        margin=pick((4.0, 10.0)),
        patience=pick((1.0, 3.0, 3.0)),
        style=pick(of.styles),
        isolation=pick(("none", "none", "none", "process")),
        when_lost=of.when_lost,
        page=pick(of.pages),
        dedup=rng.random() < of.dedup,
        network=pick(("quick", "usual", "usual", "rough")),
        scripts_loaded=rng.random() < 0.8,
        respawn=pick((0.5, 2.0, 12.0)),
        horizon=pick((15.0, 40.0)),
        scale_to_zero=rng.random() < 0.25,
        earlier_entries=pick((0, 8, 98)),
        memory=pick(of.memory) if len(of.memory) > 1 else of.memory[0],
        history=of.history,
        keep=of.keep,
    )


def _twin(of: Profile, faults: Sequence[Fault], setup: Setup, rng: Random) -> list[Fault]:
    ones = [one for one in faults if one.kind in WIRE and not one.who.startswith("J")]
    kinds = [kind for kind in ("crash", "stall", "drain") if kind in of.faults]
    if not ones or not kinds:
        return []
    one, kind = rng.choice(ones), rng.choice(kinds)
    seconds = setup.lease * rng.choice((0.5, 1.1, 1.6)) if kind == "stall" else 0.0
    return [Fault(one.at, kind, one.who, one.step, rng.choice(MOMENTS), seconds)]


Make = Callable[[str, float, Setup, Profile, Random], Fault]


def _fault(of: Profile, setup: Setup, rng: Random) -> Fault:
    kind = rng.choices(list(of.faults), list(of.faults.values()))[0]
    at = round(rng.uniform(0, setup.horizon * of.until), 3)
    return MAKE[kind](kind, at, setup, of, rng) if kind in MAKE else Fault(at, kind)


def _worker(setup: Setup, rng: Random) -> str:
    """One of the first workers, or a later one."""
    return f"W{rng.randint(1, setup.workers + 1)}"


def _janitor(setup: Setup, rng: Random) -> str:
    return f"J{rng.randint(1, max(1, setup.janitors))}"


def _wire(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    role = "reader" if kind == "half-open" else rng.choice(of.roles)
    step = rng.choice(STEPS[role])
    if of.steps:
        step, role = rng.choice(of.steps), ""
    elif role == "settler" and rng.random() < 0.5:
        step = rng.choice(LEAVES)
    process = _janitor(setup, rng) if role in ("work", "leader") else _worker(setup, rng)
    who = rng.choice((f"{process}/{role}", role)) if role else rng.choice((process, ""))
    seconds = {
        "lose": (0.0, 0.005, 1.0),
        "mute": (0.0, 0.02, 1.0),
        "late": (0.5, 2.0, 4.0, 8.0, 14.0, 25.0),
        "hold": (0.3, 0.9, 2.0, 4.0, 12.0),
        "slow": (0.3, 0.9, 2.0, 4.0, 12.0),
        "half-open": (0.05, 1.0, 3.0),
        "refuse": (0.0,),
    }[kind]
    what = rng.choice(REFUSALS) if kind == "refuse" else ""
    return Fault(at, kind, who, step, seconds=rng.choice(seconds), what=what)


def _process(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    """A process fault, at a time or at a moment of a command."""
    del of
    lease = setup.lease
    seconds = rng.choice((1.0, 4.0, lease * 0.8, lease * 1.1, lease * 1.6, lease * 2.5))
    seconds = seconds if kind in ("stall", "block") else 0.0
    if rng.random() < 0.5:
        step = rng.choice(
            [one for role in ("reader", "settler", "settler", "lease") for one in STEPS[role] if one != "*"]
        )
        return Fault(at, kind, rng.choice((_worker(setup, rng), "")), step, rng.choice(MOMENTS), seconds)
    janitors = setup.janitors and kind in ("crash", "stall") and rng.random() < 0.15
    return Fault(at, kind, _janitor(setup, rng) if janitors else _worker(setup, rng), seconds=seconds)


def _wake(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del setup, of
    step = rng.choice(("take_over", "take_over", "overdue", "claim", "settle", "XREADGROUP"))
    return Fault(at, kind, step=step, moment=rng.choice(MOMENTS))


def _partition(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del of
    who = _worker(setup, rng) if rng.random() < 0.7 else _janitor(setup, rng)
    return Fault(at, kind, who, seconds=rng.choice((2.0, 6.0, 14.0, 25.0)), what=rng.choice(("reset", "")))


def _cut(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del of
    return Fault(at, kind, f"{_worker(setup, rng)}/{rng.choice(('reader', 'settler', 'lease'))}")


def _restart(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del of
    return Fault(at, kind, _janitor(setup, rng))


def _pause(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del of
    what = rng.choice(("", "deaf"))
    if rng.random() < 0.5:
        step = rng.choice(("overdue", "overdue", "take_over", "renew", "claim", "XREADGROUP"))
        return Fault(at, kind, "", step, rng.choice(MOMENTS), setup.lease * rng.choice((1.1, 1.3, 1.6)), what)
    return Fault(at, kind, seconds=rng.choice((1.0, 5.0, setup.lease * 1.2, setup.lease * 1.5)), what=what)


def _full(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del of
    return Fault(at, kind, seconds=rng.choice((1.0, 5.0, setup.lease * 1.5)))


def _remove(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    what = rng.choice(of.removed) or _worker(setup, rng)
    if setup.keep < LONG and rng.random() < 0.7:
        return Fault(at, kind, step=rng.choice(("remember", "reconcile_left")), moment="executed", what=what)
    return Fault(at, kind, what=what)


def _beside(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del setup, of
    return Fault(at, kind, seconds=rng.choice((1.0, 6.0, 20.0, 60.0)))


def _delete(kind: str, at: float, setup: Setup, of: Profile, rng: Random) -> Fault:
    del setup
    return Fault(at, kind, what=rng.choice(of.deleted))


MAKE: Mapping[str, Make] = {
    **dict.fromkeys(WIRE, _wire),
    **dict.fromkeys(("crash", "stall", "block", "drain"), _process),
    "wake": _wake,
    "partition": _partition,
    "cut": _cut,
    "restart": _restart,
    "pause": _pause,
    "full": _full,
    "remove": _remove,
    "beside": _beside,
    "delete": _delete,
}
"""Faults that are not in here have no parameters."""
