"""The faults of a schedule, applied at their time or to their command.

Of the next matching command:
lose        it never reaches the server; the connection is reset after `seconds`, or stays silent if that is 0
mute        it runs, and its reply is lost; then the connection as above
late        the connection is reset at once, and the command runs `seconds` later
hold        it runs `seconds` later, whatever its client does meanwhile
slow        its reply comes `seconds` later
half-open   its connection is cut after `seconds` and the server does not notice: the reply of a blocked read is lost
refuse      the server replies with the error `what`

Of a process, at a time or at a moment of one of its commands:
crash       SIGKILL
stall       SIGSTOP for `seconds`
block       its main loop is blocked for `seconds`
drain       SIGTERM
restart     of a janitor: SIGKILL, and a new one replaces it
partition   it reaches no server for `seconds`
cut         its idle connections are reset

Of everything, at a time or at a moment of any command:
wake        SIGCONT for all stalled processes
spawn       one more worker
pause       Redis hangs for `seconds`; if `deaf`, commands sent meanwhile are lost
reboot      Redis restarts
full        Redis refuses writes for `seconds`
flush       Redis forgets the scripts
remove      a foreign client deletes the consumer `what`: a state, or the consumer of the worker `what`
delete      a foreign client deletes a key: `parked`, `alive`, `delayed`, `uncharged`, `crashed`, `position`
destroy     a foreign client destroys the group
beside      a foreign client creates another group, and destroys it `seconds` later
set-back    a foreign client lets the group start again at the first entry
"""

from __future__ import annotations

from collections.abc import Callable

from .fault_effects import OF_ALL, FaultEffects, Population
from .link import Op
from .network import Fate
from .plan import Fault
from .universe import START, Universe

ON_THE_WIRE = frozenset({"lose", "mute", "late", "hold", "slow", "half-open", "refuse"})
SOON = 0.01
"""Seconds until a connection is reset "at once"."""


class Faults:
    """Waits for the time of each fault, and for the command that it affects."""

    def __init__(
        self,
        plan: tuple[Fault, ...],
        universe: Universe,
        effects: FaultEffects,
        population: Population,
        log: Callable[[str], None],
    ) -> None:
        self._universe = universe
        self._effects = effects
        self._population = population
        self._log = log
        self._armed: list[Fault] = []
        self._stopped = False
        self.happened: list[Fault] = []
        self._last = max((START + fault.at + fault.seconds for fault in plan), default=START)
        for fault in plan:
            universe.at(START + fault.at, self._due, fault)

    @property
    def are_over(self) -> bool:
        """Whether all faults have happened, and those at a time have ended."""
        return self._universe.now > self._last and not self._armed

    def stop(self) -> None:
        """Apply no more faults."""
        self._stopped = True
        self._armed.clear()
        self._effects.end_all()

    def _due(self, fault: Fault) -> None:
        if self._stopped:
            return
        if fault.step or fault.kind in ON_THE_WIRE:
            self._armed.append(fault)
        else:
            self._happen(fault, fault.who)

    # -- of commands ------------------------------------------------------------------------------------------------

    def fate(self, op: Op) -> Fate | None:
        """Decide the fate of a command; None if no fault waits."""
        if not self._armed:
            return None
        fate = Fate()
        for fault in self._armed[:]:
            if (
                fault.kind in ON_THE_WIRE
                and _fits(fault, op)
                and (fault.kind != "half-open" or op.name == "XREADGROUP")
            ):
                self._armed.remove(fault)
                self._note(fault, op)
                _add_to_fate(fault, fate)
        return fate

    def passes(self, op: Op, moment: str) -> None:
        """Handle a moment of a command."""
        if not self._armed:
            return
        for fault in self._armed[:]:
            if fault.kind not in ON_THE_WIRE and fault.moment == moment and _fits(fault, op):
                self._armed.remove(fault)
                self._happen(fault, "" if fault.kind in OF_ALL else op.by)

    def _note(self, fault: Fault, op: Op) -> None:
        self.happened.append(fault)
        self._log(f"--- {fault.kind} {op.name} of {op.where} {fault.what} {fault.seconds:g} s")
        process = self._population.processes.get(base(op.by))
        if process is not None:
            process.hits.append(self._universe.now + fault.seconds)
            if op.role == "lease":
                process.trouble_until = self._universe.now + fault.seconds

    def _happen(self, fault: Fault, whose: str) -> None:
        if self._stopped:
            return
        self.happened.append(fault)
        seconds = f"{fault.seconds:g} s" if fault.seconds else ""
        self._log(" ".join(word for word in ("---", fault.kind, whose, fault.what, seconds) if word))
        process = self._population.processes.get(base(whose.partition("/")[0]))
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
        case "half-open":
            fate.half_open = True
            fate.reset = seconds or SOON
        case "refuse":
            fate.refused = fault.what
        case _:
            raise AssertionError(fault)
