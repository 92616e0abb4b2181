"""What goes wrong, and how it is brought about.

Of one command, the next that fits:
lose        it never comes to the server; the connection is reset after `seconds`, or silent when that is 0
mute        it is executed, and the answer is lost; as above
late        the connection is reset at once, and the command is executed `seconds` later
hold        it is executed `seconds` later, whatever its client does meanwhile
slow        its answer comes `seconds` later
lurk        it is cut off after `seconds`, and the server does not notice: a blocked read may be served to nobody
refuse      the server says `what` instead

Of a process, at a time or at a moment of one of its commands:
crash       SIGKILL
stall       SIGSTOP for `seconds`
block       its main loop stands still for `seconds`
wake        SIGCONT, of all that stand still
drain       SIGTERM
restart     of a janitor: SIGKILL, and another in its place
apart       it reaches nobody for `seconds`
cut         its idle connections are reset

Of all:
spawn       one more worker
pause       Redis stands still for `seconds`
reboot      another life of Redis
full        Redis takes nothing more for `seconds`
flush       Redis forgets the scripts
remove      somebody deletes the consumer `what`: a state, or the consumer that the worker `what` has
delete      somebody deletes a key: `parked`, `alive`, `delayed`, `uncharged`, `crashed`, `position`
destroy     somebody destroys the group
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from penstock.keys import Keys

from .link import Op
from .plan import Fault
from .processes import JanitorProcess, Process, WorkerProcess
from .server import Redis
from .truth import Truth
from .universe import START, Universe
from .wires import Fate, Wires

ON_THE_WIRE = frozenset({"lose", "mute", "late", "hold", "slow", "lurk", "refuse"})
OF_ALL = frozenset({"spawn", "pause", "reboot", "full", "flush", "remove", "delete", "destroy"})
SOON = 0.01
"""Seconds after which a connection that breaks at once is reset."""


class Cast(Protocol):
    """Who there is."""

    processes: dict[str, Process]

    def spawn(self) -> None:
        """One more worker."""

    def restart(self, janitor: JanitorProcess) -> None:
        """Another in its place."""


class Faults:
    """Waits for the time of each fault, and for the command that it is about."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that can go wrong
        self,
        plan: tuple[Fault, ...],
        universe: Universe,
        redis: Redis,
        wires: Wires,
        truth: Truth,
        keys: Keys,
        cast: Cast,
        tell: Callable[[str], None],
    ) -> None:
        self._universe = universe
        self._redis = redis
        self._wires = wires
        self._truth = truth
        self._keys = keys
        self._cast = cast
        self._tell = tell
        self._armed: list[Fault] = []
        self._over = False
        self.happened: list[Fault] = []
        for fault in plan:
            universe.at(START + fault.at, self._due, fault)

    def stop(self) -> None:
        """Nothing goes wrong any more."""
        self._over = True
        self._armed.clear()
        self._wires.cut_off.clear()
        self._redis.front.is_full = False
        self._redis.go_on()
        for process in self._cast.processes.values():
            process.troubled = max(process.troubled, self._universe.now)
            process.go_on()

    def _due(self, fault: Fault) -> None:
        if self._over:
            return
        if fault.step or fault.kind in ON_THE_WIRE:
            self._armed.append(fault)
        else:
            self._happen(fault)

    # -- of commands ------------------------------------------------------------------------------------------------

    def fate(self, op: Op) -> Fate:
        """What is to become of a command."""
        fate = Fate()
        for fault in self._armed[:]:
            if fault.kind in ON_THE_WIRE and _fits(fault, op) and (fault.kind != "lurk" or op.name == "XREADGROUP"):
                self._armed.remove(fault)
                self._note(fault, op)
                self._weave(fault, fate)
        return fate

    def passes(self, op: Op, moment: str) -> None:
        """A moment of a command."""
        for fault in self._armed[:]:
            if fault.kind not in ON_THE_WIRE and fault.moment == moment and _fits(fault, op):
                self._armed.remove(fault)
                self._happen(fault, op.by)

    def _note(self, fault: Fault, op: Op) -> None:
        self.happened.append(fault)
        self._tell(f"--- {fault.kind} {op.name} of {op.where} {fault.what} {fault.seconds:g} s")
        process = self._cast.processes.get(_base(op.by))
        if process is not None and op.role == "lease":
            process.troubled = self._universe.now + fault.seconds

    def _weave(self, fault: Fault, fate: Fate) -> None:
        seconds = fault.seconds
        match fault.kind:
            case "lose":
                fate.executed = False
                fate.reset = seconds or None
            case "mute":
                fate.answered = False
                fate.reset = seconds or None
            case "late":
                fate.before = seconds
                fate.reset = SOON
            case "hold":
                fate.before = seconds
            case "slow":
                fate.after = seconds
            case "lurk":
                fate.lurks = True
                fate.reset = seconds or SOON
            case "refuse":
                fate.refused = fault.what

    # -- of processes, and of all -----------------------------------------------------------------------------------

    def _happen(self, fault: Fault, by: str = "") -> None:
        if self._over:
            return
        self.happened.append(fault)
        self._tell(f"--- {fault.kind} {fault.who or by} {fault.what} {fault.seconds or ''}".rstrip())
        if fault.kind == "wake":
            for one in self._cast.processes.values():
                one.go_on()
            return
        whose = "" if fault.kind in OF_ALL else fault.who or by
        process = self._cast.processes.get(_base(whose.partition("/")[0]))
        if process is not None and not process.is_dead:
            self._to(process, fault)
        elif fault.kind in OF_ALL:
            self._to_all(fault)

    def _to(self, process: Process, fault: Fault) -> None:
        match fault.kind:
            case "crash":
                process.crash()
            case "stall":
                process.stall(fault.seconds)
            case "block":
                process.block(fault.seconds)
            case "drain" if isinstance(process, WorkerProcess):
                process.drain()
            case "restart" if isinstance(process, JanitorProcess):
                self._cast.restart(process)
            case "apart":
                self._wires.cut_off.add(process.name)
                process.troubled = self._universe.now + fault.seconds
                for link in process.links:
                    if link.client is not None and fault.what == "reset":
                        self._wires.reset(link.client, "the connection was reset")
                self._universe.after(fault.seconds, self._wires.cut_off.discard, process.name)
            case "cut":
                for link in process.links:
                    if link.client is not None and f"{process.name}/{link.role}".endswith(fault.who):
                        self._wires.reset(link.client, "the connection was reset")
            case _:
                self._tell("    it cannot happen to this one")

    def _to_all(self, fault: Fault) -> None:
        redis = self._redis
        match fault.kind:
            case "spawn":
                self._cast.spawn()
            case "pause":
                redis.pause(fault.seconds)
                self._trouble(self._universe.now + fault.seconds)
            case "reboot":
                redis.restart()
                self._trouble(self._universe.now)
                for link in [link for one in self._cast.processes.values() for link in one.links]:
                    if link.client is not None:
                        self._wires.reset(link.client, "the server has gone")
            case "full":
                redis.front.is_full = True
                self._universe.after(fault.seconds, self._empty)
            case "flush":
                redis.flush()
            case "remove":
                self._remove(fault.what)
            case "delete":
                self._truth.tainted.add(fault.what)
                if fault.what == "uncharged":
                    for message in self._truth.messages.values():
                        message.uncounted = True
                redis.foreign("DEL", getattr(self._keys, fault.what))
            case "destroy":
                self._truth.tainted.add("group")
                for message in self._truth.messages.values():
                    message.foreign = True
                self._truth.current.clear()
                redis.foreign("XGROUP", "DESTROY", self._keys.stream, self._keys.group)
            case _:
                raise AssertionError(fault)

    def _empty(self) -> None:
        self._redis.front.is_full = False

    def _trouble(self, until: float) -> None:
        for process in self._cast.processes.values():
            process.troubled = max(process.troubled, until)

    def _remove(self, what: str) -> None:
        truth = self._truth
        names = [what] if what.startswith("~") else [one for one, of in truth.process_of.items() if of == what][-1:]
        for name in names:
            truth.tainted.add("consumer")
            for entry, (owner, _) in (truth.last.pending or {}).items():
                if owner == name and entry in truth.entries:
                    truth.entries[entry].foreign = True
                    truth.current[entry] = None
            self._redis.foreign("XGROUP", "DELCONSUMER", self._keys.stream, self._keys.group, name)


def _fits(fault: Fault, op: Op) -> bool:
    by = _base(op.by)
    return fault.step in ("", "*", op.name) and fault.who in ("", by, f"{by}/{op.role}", op.role)


def _base(name: str) -> str:
    """A janitor's name without the number of its life."""
    return name.partition(".")[0]
