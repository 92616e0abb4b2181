"""Each safeguard of the design, removed on purpose: the simulation must find the violation.

A search finds most violations within some schedules. Rare ones have a schedule written by hand.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from penstock.maintenance.contact import Contact
from penstock.pod.lease_term import LeaseTerm
from penstock.worker.attempt import Attempt
from penstock.worker.attempts import Attempts, Runner
from penstock.worker.audit import Audit
from penstock.worker.intake import Intake
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots
from penstock.worker.worker import Worker

from .plan import Fault, Plan, PlannedMessage, Setup
from .store import Texts
from .world import TEXTS


@dataclass(frozen=True, slots=True)
class Omission:
    """A safeguard to remove."""

    what: str
    finds: str
    """The kind of violation that follows."""
    profile: str = ""
    """The profile in which a search finds it, unless there is a plan."""
    plan: Plan | None = None
    scripts: Mapping[str, Callable[[bytes], bytes]] = field(default_factory=dict)
    methods: tuple[tuple[type, str, Any], ...] = ()
    """Replacements: a class, the name of a method, and the new method."""
    edits: tuple[tuple[type, str, str, str], ...] = ()
    """Changes to the text of methods: a class, the name of a method, a text in it, and what replaces it."""

    @contextmanager
    def planted(self) -> Iterator[Texts]:
        """Run schedules without the safeguard. Fails if the text to change is not there any more."""
        replaced = [
            *self.methods,
            *((owner, name, edited(owner, name, *change)) for owner, name, *change in self.edits),
        ]
        usual = [(owner, name, inspect.getattr_static(owner, name)) for owner, name, _ in replaced]
        try:
            for owner, name, replacement in replaced:
                setattr(owner, name, replacement)
            yield Texts(self.scripts) if self.scripts else TEXTS
        finally:
            for owner, name, method in reversed(usual):
                setattr(owner, name, method)


def edited(owner: type, name: str, text: str, instead: str) -> Any:  # noqa: ANN401 - a function or a property
    """The method of a class with a changed text."""
    method = inspect.getattr_static(owner, name)
    source = textwrap.dedent(inspect.getsource(cast("Any", method.fget) if isinstance(method, property) else method))
    assert source.count(text) == 1, f"`{owner.__name__}.{name}` does not contain this once: {text}"
    module = sys.modules[owner.__module__]
    names: dict[str, Any] = {}
    code = "from __future__ import annotations\n" + source.replace(text, instead)
    exec(compile(code, f"<{owner.__name__}.{name}>", "exec"), vars(module), names)  # noqa: S102 - our own code
    return names[name]


def without(line: str, instead: str = "") -> Callable[[bytes], bytes]:
    """Remove or replace a text in a script."""
    return lambda text: text.replace(line.encode(), instead.encode())


def _by_hand(name: str, setup: Setup, *faults: Fault) -> Plan:
    return Plan(name, setup, faults)


def _setup(
    *messages: PlannedMessage, janitors: int = 0, page: int = 250, respawn: float = 2.0, history: bool = False
) -> Setup:
    return Setup(messages, janitors=janitors, page=page, respawn=respawn, network="quick", history=history)


async def _nothing(self: Audit, consumer: str) -> int:
    del self, consumer
    return 0


async def _no_adoption(self: Audit, consumer: str, missing: set[bytes]) -> None:
    del self, consumer, missing


async def _at_once(self: Audit, consumer: str) -> int:
    return await self.without_reads(consumer)


async def _is_new(self: Intake, delivered: bytes) -> bool:
    del self, delivered
    return False


def _always(*_: object) -> bool:
    return True


def _isolated(self: Attempts, attempt: Attempt) -> Runner:
    return self._isolated_runner if attempt.delivery.is_suspect else self._runner


def _never(*_: object) -> bool:
    return False


def _unnoticed(*_: object) -> None:
    """Nothing."""


OMISSIONS = (
    Omission(
        "the fence",
        "not-the-owner",
        "zombie",
        scripts=dict.fromkeys(
            ("settle", "park", "give_back"),
            without("elseif row[2] ~= consumer or row[4] ~= count then", "elseif false then"),
        ),
    ),
    Omission(
        "the count in the fence",
        "not-the-owner",
        plan=_by_hand(
            "count", _setup(PlannedMessage("m1", "bad", 14.0)), Fault(1, "late", "W1/settler", "park", seconds=4)
        ),
        scripts=dict.fromkeys(("settle", "park", "give_back"), without(" or row[4] ~= count then", " then")),
    ),
    Omission(
        "the mark in take_over",
        "renewed-after-loss",
        plan=_by_hand(
            "mark",
            _setup(PlannedMessage("m1", seconds=25), PlannedMessage("m2", seconds=25), janitors=1, page=1),
            Fault(1, "stall", "W1", seconds=30),
            Fault(5, "slow", "J1/work", "take_over", seconds=0.9),
            Fault(5, "wake", step="take_over", moment="executed"),
        ),
        scripts={"take_over": without("redis.call('ZADD', alive, -ends, consumer)\n")},
    ),
    Omission(
        "the age limit of a takeover's list",
        "healthy-lost",
        plan=_by_hand(
            "age",
            _setup(PlannedMessage("m1", seconds=25), janitors=1),
            Fault(1, "stall", "W1", seconds=60),
            Fault(5, "hold", "J1/work", "take_over", seconds=16),
            Fault(5, "wake", step="take_over", moment="issued"),
            Fault(13, "pause", seconds=15, what="deaf"),
        ),
        scripts={"take_over": without("if time - tonumber(ARGV[5]) > lease / 3 then", "if false then")},
    ),
    Omission(
        "contact for one lease before a takeover",
        "healthy-lost",
        "pauses",
        methods=((Contact, "lasts", _always),),
    ),
    Omission(
        "the claimer's own lease",
        "claimed-after-loss",
        plan=_by_hand(
            "claimer",
            _setup(PlannedMessage("m1", "bad"), janitors=1, respawn=60),
            Fault(0, "late", "W1/settler", "claim", seconds=25),
            Fault(0, "crash", "W1", "claim", "issued"),
        ),
        scripts={"claim": without("if not ends or tonumber(ends) < 0 then return 'lost' end")},
    ),
    Omission(
        "a lease for consumers without one",
        "stuck",
        plan=_by_hand(
            "adopted",
            _setup(PlannedMessage("m1", at=20), janitors=1, respawn=60),
            Fault(3, "late", "W1/reader", "XREADGROUP", seconds=25),
            Fault(3, "crash", "W1", "XREADGROUP", "issued"),
        ),
        scripts={"overdue": without("if string.find", "if false and string.find")},
    ),
    Omission("the audit", "stuck", "net", methods=((Audit, "__call__", _nothing), (Audit, "without_reads", _nothing))),
    Omission("the audit at renewals", "stuck", "race", methods=((Audit, "__call__", _nothing),)),
    Omission("an audit's wait for the last read", "phantom-start", "race", methods=((Audit, "__call__", _at_once),)),
    Omission(
        "leaving a consumer whose lease may have expired",
        "ran-after-loss",
        plan=_by_hand(
            "sleeper", _setup(PlannedMessage("m1", seconds=20), janitors=1), Fault(1, "partition", "W1", seconds=35)
        ),
        methods=((Worker, "expired", _unnoticed),),
    ),
    Omission(
        "telling of a lease that may be lost",
        "untold-loss",
        plan=_by_hand(
            "partitioned",
            replace(_setup(PlannedMessage("m1", seconds=40), janitors=1), timeout=60, when_lost="continue", workers=2),
            Fault(1, "partition", "W1", seconds=35),
        ),
        methods=((LeaseTerm, "may_be_lost", _never),),
    ),
    Omission(
        "the check of the lease before the first step",
        "started-late",
        plan=_by_hand(
            "suspended",
            _setup(PlannedMessage("m1", at=4), janitors=1),
            Fault(1, "stall", step="XREADGROUP", moment="issued", seconds=16),
        ),
        edits=((Attempts, "_run", "now >= term.until or delivery.consumer != term.consumer", "False"),),
    ),
    Omission(
        "the last attempt alone",
        "not-alone",
        "poison",
        scripts={"claim": without("if needs_empty == alone then", "if not alone then")},
    ),
    Omission(
        "the rule that only a message lost alone is buried",
        "dead-early",
        "poison",
        scripts={"claim": without("(tonumber(alone_in[inspected]) or math.huge)", "0")},
    ),
    Omission(
        "the record of the attempt made alone",
        "too-many-attempts",
        "poison",
        scripts={"claim": without("redis.call('HSET', crashed, id, counts[id] + 1 - free_of[id])")},
    ),
    Omission(
        "the memory that a suspect's process needs",
        "no-memory",
        "memory",
        scripts={"claim": without("ARGV[8] == 'cramped'", "false")},
    ),
    Omission(
        "the last attempt in the worker itself", "no-memory", "memory", methods=((Attempts, "_runner_of", _isolated),)
    ),
    Omission(
        "the size limit of claims",
        "crash-loop",
        "large",
        scripts={"claim": without("if body <= most_body and", "if true or")},
    ),
    Omission(
        "the copy of a body in a dead letter",
        "dead-body",
        "large",
        scripts={"bury": without("if tonumber(ARGV[5]) < 0 then", "if false then")},
    ),
    Omission(
        "emptying before the last attempt",
        "not-alone",
        "poison",
        edits=((Intake, "_wait_for_slots", "if self._is_empty():", "if True:"),),
    ),
    Omission(
        "uncharged deliveries of a drain",
        "dead-early",
        "drains",
        scripts={
            "give_back": without("uncharge(uncharged, ARGV[i], tonumber(ARGV[i + 1]), 1 + tonumber(ARGV[i + 2]))")
        },
    ),
    Omission(
        "the limit of slots",
        "too-many-running",
        "race",
        methods=((Slots, "free", property(lambda self: self.concurrency)),),
    ),
    Omission(
        "the rule that a worker deletes only its empty consumer",
        "dropped",
        plan=_by_hand(
            "deregisters",
            _setup(PlannedMessage("m1", delay=6)),
            Fault(4, "mute", "W1/reader", "XREADGROUP", seconds=0.02),
            Fault(5.5, "drain", "W1", "XREADGROUP", "executed"),
            Fault(5.5, "lose", "W1/settler", "XPENDING", seconds=0.01),
        ),
        scripts={"deregister": without("> 0 then return 0", "> 99 then return 0")},
    ),
    Omission(
        "the rule that a takeover deletes only an empty consumer",
        "dropped",
        "pages",
        scripts={
            "take_over": without(
                "if redis.call('XPENDING', stream, group, '-', '+', 1, consumer)[1] then", "if false then"
            )
        },
    ),
    Omission(
        "the deduplication key of a dead letter",
        "sent-twice",
        "resend",
        scripts={"bury": without("redis.pcall('SET', KEYS[6], dead, 'KEEPTTL')", "redis.call('DEL', KEYS[6])")},
    ),
    Omission(
        "a forced count above all earlier ones",
        "fence-twice",
        "force",
        scripts=dict.fromkeys(
            ("reconcile_stream", "reconcile_due", "reconcile_left"),
            without("'RETRYCOUNT', count, ", "'RETRYCOUNT', 0, "),
        ),
    ),
    Omission(
        "the start of a recreated group at the last id",
        "fence-twice",
        "regroup",
        scripts={"ensure": without("vanished and '$' or '0'", "'0'")},
    ),
    Omission(
        "the start of a recreated group of a history at the last id",
        "fence-twice",
        "history",
        scripts={"ensure": without("vanished and '$' or '0'", "'0'")},
    ),
    Omission(
        "the record of what is unfinished in a history",
        "stuck",
        "history",
        scripts={"remember": without("cmsgpack.pack(values)", "cmsgpack.pack({})")},
    ),
    Omission(
        "the end of that record",
        "double",
        "history",
        scripts={
            "ensure": lambda text: without("if covers == last then", "if false then")(
                without("if covers and before(covers, last)", "if false")(text)
            )
        },
    ),
    Omission(
        "a due message of a history that is pending nowhere",
        "stuck",
        plan=_by_hand(
            "due",
            _setup(PlannedMessage("m1", "flaky"), janitors=1, history=True),
            Fault(0.5, "remove", what="~parked"),
        ),
        scripts={
            "promote": without("nowhere[#nowhere + 1] = id", ""),
            "park": without("local records = ARGV[3] ~= '1'", "local records = false"),
        },
    ),
    Omission(
        "the records of parked messages of a history",
        "stuck",
        plan=_by_hand(
            "ready",
            _setup(PlannedMessage("m1", "flaky"), PlannedMessage("m2", seconds=14), janitors=1, history=True),
            Fault(1, "hold", "W1/settler", "claim", seconds=1),
            Fault(1.2, "remove", what="~ready"),
        ),
        scripts={"park": without("local records = ARGV[3] ~= '1'", "local records = false")},
    ),
    Omission(
        "the records of suspects of a history that run",
        "stuck",
        plan=_by_hand(
            "x",
            replace(_setup(PlannedMessage("m1", seconds=14), janitors=1, history=True), workers=2),
            Fault(3, "crash", "W1"),
            Fault(20, "remove", what="W3"),
            Fault(21, "crash", "W3"),
        ),
        scripts={"claim": without("if marked[id] then", "if false then")},
    ),
    Omission(
        "the records of unfinished entries in trim",
        "stuck",
        "history-trim",
        scripts={"trim": without("if records <= MANY then", "if false then")},
    ),
    Omission(
        "the look-up of each entry in trim when many are recorded",
        "stuck",
        "history-trim",
        scripts={
            "trim": lambda text: without("if records <= MANY or #all == 0", "if true")(
                without(
                    "MANY = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], 1000",
                    "MANY = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], 0",
                )(text)
            )
        },
    ),
    Omission(
        "owning a first attempt again whose consumer was deleted",
        "stuck",
        plan=_by_hand(
            "adopt",
            _setup(PlannedMessage("m1", seconds=14), janitors=1, history=True),
            Fault(1, "remove", what="W1"),
            Fault(10, "crash", "W1"),
        ),
        methods=((Audit, "_adopt", _no_adoption),),
    ),
    Omission(
        "the recovery of a message whose consumer was deleted while it ran",
        "stuck",
        plan=_by_hand(
            "recover",
            _setup(PlannedMessage("m1", "flaky", 3.0), janitors=1, history=True),
            Fault(1, "remove", what="W1"),
        ),
        methods=((Settler, "_recover", lambda *_: None),),
    ),
    Omission(
        "the check of a read for entries that were delivered before",
        "fence-twice",
        plan=_by_hand(
            "set-back",
            _setup(PlannedMessage("m1"), PlannedMessage("m2", at=6), janitors=1, history=True),
            Fault(3, "set-back"),
        ),
        methods=((Intake, "_was_set_back", _is_new),),
    ),
)
