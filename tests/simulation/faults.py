"""The faults of a schedule, applied at their time or to their command.

To one command, the next that matches:
lose        it never reaches the server; the connection is reset after `seconds`, or stays silent if that is 0
mute        it runs, and its answer is lost; the connection as above, after that
late        the connection is reset at once, and the command runs `seconds` later
hold        it runs `seconds` later, whatever its client does meanwhile
slow        its answer comes `seconds` later
lurk        it is cut off after `seconds`, and the server does not notice: a blocked read may be served to nobody
refuse      the server answers with the error `what`

To a process, at a time or at a moment of one of its commands:
crash       SIGKILL
stall       SIGSTOP for `seconds`
block       its main loop is blocked for `seconds`
drain       SIGTERM
restart     of a janitor: SIGKILL, and a new one in its place
apart       it reaches no server for `seconds`
cut         its idle connections are reset

To everything, at a time or at a moment of any command:
wake        SIGCONT for all stalled processes
spawn       one more worker
pause       Redis hangs for `seconds`; if `deaf`, commands sent meanwhile are lost
reboot      Redis restarts
full        Redis refuses writes for `seconds`
flush       Redis forgets the scripts
remove      somebody deletes the consumer `what`: a state, or the consumer of the worker `what`
delete      somebody deletes a key: `parked`, `alive`, `delayed`, `uncharged`, `crashed`, `position`
destroy     somebody destroys the group
"""

from __future__ import annotations

from collections.abc import Callable

from .fault_effects import OF_ALL, FaultEffects, Population
from .link import Op
from .network import Fate
from .plan import Fault
from .universe import START, Universe

ON_THE_WIRE = frozenset({"lose", "mute", "late", "hold", "slow", "lurk", "refuse"})
SOON = 0.01
"""Seconds after which a connection that breaks at once is reset."""


class Faults:
    """Waits for the time of each fault, and for the command that it affects."""

    def __init__(
        self,
        plan: tuple[Fault, ...],
        universe: Universe,
        effects: FaultEffects,
        cast: Population,
        tell: Callable[[str], None],
    ) -> None:
        self._universe = universe
        self._effects = effects
        self._cast = cast
        self._tell = tell
        self._armed: list[Fault] = []
        self._over = False
        self.happened: list[Fault] = []
        for fault in plan:
            universe.at(START + fault.at, self._due, fault)

    def stop(self) -> None:
        """Apply no more faults."""
        self._over = True
        self._armed.clear()
        self._effects.end_all()

    def _due(self, fault: Fault) -> None:
        if self._over:
            return
        if fault.step or fault.kind in ON_THE_WIRE:
            self._armed.append(fault)
        else:
            self._happen(fault, fault.who)

    # -- of commands ------------------------------------------------------------------------------------------------

    def fate(self, op: Op) -> Fate:
        """Decide the fate of a command."""
        fate = Fate()
        for fault in self._armed[:]:
            if fault.kind in ON_THE_WIRE and _fits(fault, op) and (fault.kind != "lurk" or op.name == "XREADGROUP"):
                self._armed.remove(fault)
                self._note(fault, op)
                _add_to_fate(fault, fate)
        return fate

    def passes(self, op: Op, moment: str) -> None:
        """Learn of a moment of a command."""
        for fault in self._armed[:]:
            if fault.kind not in ON_THE_WIRE and fault.moment == moment and _fits(fault, op):
                self._armed.remove(fault)
                self._happen(fault, "" if fault.kind in OF_ALL else op.by)

    def _note(self, fault: Fault, op: Op) -> None:
        self.happened.append(fault)
        self._tell(f"--- {fault.kind} {op.name} of {op.where} {fault.what} {fault.seconds:g} s")
        process = self._cast.processes.get(base(op.by))
        if process is not None:
            process.hits.append(self._universe.now + fault.seconds)
            if op.role == "lease":
                process.troubled = self._universe.now + fault.seconds

    def _happen(self, fault: Fault, whose: str) -> None:
        if self._over:
            return
        self.happened.append(fault)
        seconds = f"{fault.seconds:g} s" if fault.seconds else ""
        self._tell(" ".join(word for word in ("---", fault.kind, whose, fault.what, seconds) if word))
        process = self._cast.processes.get(base(whose.partition("/")[0]))
        if fault.kind in OF_ALL:
            self._effects.to_all(fault)
        elif process is not None and not process.is_dead:
            self._effects.to(process, fault)


def base(name: str) -> str:
    """A janitor's name without the number of its restart."""
    return name.partition(".")[0]


def _fits(fault: Fault, op: Op) -> bool:
    by = base(op.by)
    return fault.step in ("", "*", op.name) and fault.who in ("", by, f"{by}/{op.role}", op.role)


def _add_to_fate(fault: Fault, fate: Fate) -> None:
    """Add a fault to the fate of a command."""
    seconds = fault.seconds
    match fault.kind:
        case "lose":
            fate.executed = False
            fate.reset = seconds or None
        case "mute":
            fate.answered = False
            fate.reset_after = seconds or None
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
        case _:
            raise AssertionError(fault)
