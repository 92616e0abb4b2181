"""Checks at the end of a schedule, when all faults are over and all work had time to finish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from penstock.keys import PARKED, STATES
from penstock.wire.errors import Refused

from .handlers import HUGE
from .plan import Setup
from .universe import START

if TYPE_CHECKING:
    from .processes import SenderProcess
    from .world import World

LEASES = 3.0
"""The number of leases after which nothing of a lost worker may remain."""
BLOCKS = 7.0
"""Seconds that a late read may travel and block."""
ROUND = 2.5
"""Seconds in which a janitor makes a round."""


class FinalChecks:
    """Waits for the end of a schedule, and checks it."""

    def __init__(self, world: World, sender: SenderProcess) -> None:
        self._world = world
        self._sender = sender
        self._truth = world.truth
        self._setup: Setup = world.setup
        self._quiet_from = 0.0
        """When the last late command has arrived, and the last read that blocks has ended."""
        self._dirty_at = -1
        """The number of changes when something was left."""

    def run(self) -> None:
        world, setup = self._world, self._setup
        now = world.universe.clock
        faults_end = now()
        if setup.scale_to_zero and setup.janitors and not world.is_finished():
            self._check_without_workers()
        world.respawns = True
        if not world.workers():
            world.spawn()
        patience = 120 + setup.attempts * (setup.timeout + setup.backoff + 4 * setup.lease) * 2
        if not world.universe.run(now() + patience, world.is_finished):
            if not world.universe.has_stopped:
                self._truth.violate("stuck", self._describe())
            return
        self._check_messages()
        late = world.network.late_until
        waits = BLOCKS if late > faults_end or world.redis.has_orphans else ROUND
        self._quiet_from = max(faults_end, late) + waits
        world.universe.run(max(now(), self._quiet_from) + LEASES * setup.lease, self._is_clean)
        for kind, details in self._leftovers():
            self._truth.violate(kind, details)

    def _check_without_workers(self) -> None:
        """Without workers, the numbers that a scaler reads must show all messages that could run."""
        world = self._world
        world.respawns = False
        world.universe.run(world.universe.now + 30, lambda: self._sender.is_dead)
        for worker in world.workers():
            worker.crash()
        for leases in (LEASES, 1):
            world.universe.run(world.universe.now + leases * self._setup.lease)
            self._check_depth()

    def _check_depth(self) -> None:
        keys = self._world.keys
        world = self._world
        world.redis.client.report_state()
        state = self._truth.last
        length, parked = cast("list[int]", world.redis.client.ask(("XLEN", keys.stream), ("ZCARD", keys.parked)))
        waiting = {entry for entry, (owner, _) in (state.pending or {}).items() if owner == PARKED}
        workable = len(state.entries) - len(waiting)
        if length - parked != workable and not self._setup.history:
            self._truth.violate("depth", f"the scaler sees {length} - {parked}, but {workable} messages could run")

    def _check_messages(self) -> None:
        for one in self._truth.messages.values():
            if one.acked and not one.entered:
                self._truth.violate("lost", f"{one.name} was acknowledged and never entered the stream")
            if not one.entered - one.vanished <= one.ended <= one.entered + one.may_repeat:
                counts = f"{one.name} was sent {one.entered} times: done {one.done}, dead {one.dead}"
                self._truth.violate("double" if one.ended > one.entered else "lost", counts)
        if any(one.planned.kind == "huge" for one in self._truth.messages.values()):
            self._check_dead_bodies()

    def _check_dead_bodies(self) -> None:
        """Dead letters have the original bodies, although no worker had them."""
        (letters,) = self._world.redis.client.ask(("XRANGE", self._world.keys.dead, "-", "+"))
        for _, fields in cast("list[tuple[bytes, list[bytes]]]", letters):
            named = dict(zip(fields[::2], fields[1::2], strict=True))
            original = self._truth.entries[named[b"penstock-dead-id"]]
            size = len(named.get(b"data", b""))
            if (size > HUGE) != (original.planned.kind == "huge"):
                self._truth.violate("dead-body", f"the dead letter of {original.name} has a body of {size} bytes")

    def _is_clean(self) -> bool:
        """Whether nothing is left, and no late command can leave something; asks the server only after changes."""
        client, now = self._world.redis.client, self._world.universe.now
        if now < self._quiet_from or client.changes == self._dirty_at:
            return False
        self._dirty_at = client.changes
        return next(self._leftovers(), None) is None

    def _leftovers(self) -> Iterator[tuple[str, str]]:
        """The kinds and details of everything that should have gone."""
        world, keys = self._world, self._world.keys
        entries, parked, uncharged, crashed, delayed, bodies, alive, dead, consumers = world.redis.client.ask(
            ("XPENDING", keys.stream, keys.group, "-", "+", 9) if self._setup.history else ("XLEN", keys.stream),
            ("ZCARD", keys.parked),
            ("HKEYS", keys.uncharged),
            ("HKEYS", keys.crashed),
            ("ZCARD", keys.delayed),
            ("HLEN", keys.bodies),
            ("ZRANGE", keys.alive, 0, -1, "WITHSCORES"),
            ("XLEN", keys.dead),
            ("XINFO", "CONSUMERS", keys.stream, keys.group),
        )
        left = {
            "entries": entries,
            "parked": parked,
            "uncharged": [one for one in cast("list[bytes]", uncharged) if one != b"~count"],
            "crashed": crashed,
            "delayed": delayed,
            "bodies": bodies,
        }
        for name, what in left.items():
            if what:
                yield "leftover", f"{name}: {what!r}"
        expected = sum(len(one.dead) for one in self._truth.messages.values())
        if dead != expected:
            yield "dead-letters", f"{dead!r} dead letters of {expected} dead messages"
        if isinstance(consumers, Refused):
            yield "no-group", str(consumers)
            consumers = []
        names = {one.decode() for one in cast("list[bytes]", alive)[::2]}
        names |= {one[1].decode() for one in cast("list[list[bytes]]", consumers)}
        running = {worker.name for worker in world.workers()}
        for name in sorted(names.difference(STATES)):
            if self._truth.process_of.get(name) not in running:
                yield "ghost", name

    def _describe(self) -> str:
        """Describe the state of everything."""
        world, keys = self._world, self._world.keys
        world.redis.client.report_state()
        names = {entry: one.name for entry, one in self._truth.entries.items()}
        pending = {names.get(entry, "?"): owner for entry, owner in (self._truth.last.pending or {}).items()}
        entries = [names.get(entry, "?") for entry in self._truth.last.entries]
        open_ = [f"{one.name} {one.ended}/{one.entered}" for one in self._truth.messages.values()]
        running = [run.message.name for one in self._truth.messages.values() for run in one.runs if run.is_running]
        others = world.redis.client.ask(
            ("ZRANGE", keys.parked, 0, -1, "WITHSCORES"), ("ZRANGE", keys.alive, 0, -1, "WITHSCORES")
        )
        parts = [f"{open_}, in the stream {entries}, pending {pending}, running {running}, {others!r}"]
        if not self._sender.is_dead:
            parts.append("the sender still sends")
        return f"after {world.universe.now - START:.0f} s: " + ", ".join(parts)
