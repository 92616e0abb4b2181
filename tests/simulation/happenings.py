"""What happens to processes, and to all: the doing of what `faults.py` names."""

from __future__ import annotations

from typing import Protocol

from penstock.keys import PipelineKeys

from .plan import Fault
from .processes import JanitorProcess, Process, WorkerProcess
from .server import Redis
from .truth import Truth
from .universe import Universe
from .wires import Wires

RESET = "the connection was reset"


class Cast(Protocol):
    """Who there is."""

    processes: dict[str, Process]

    def spawn(self) -> None:
        """One more worker."""

    def restart(self, janitor: JanitorProcess) -> None:
        """Another in its place."""


class Happenings:
    """Brings them about."""

    def __init__(  # noqa: PLR0913, PLR0917 - all to whom something can happen
        self, universe: Universe, redis: Redis, wires: Wires, truth: Truth, keys: PipelineKeys, cast: Cast
    ) -> None:
        self._universe = universe
        self._redis = redis
        self._wires = wires
        self._truth = truth
        self._keys = keys
        self._cast = cast

    def mend(self) -> None:
        """All that goes on is over."""
        self._wires.cut_off.clear()
        self._redis.front.is_full = False
        self._redis.go_on()
        for process in self._cast.processes.values():
            process.troubled = max(process.troubled, self._universe.now)
            process.go_on()

    def to(self, process: Process, fault: Fault) -> None:
        """To one process."""
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
                self._apart(process, fault)
            case "cut":
                self._cut(process, fault.who.partition("/")[2])
            case _:  # janitors are not drained, workers are not restarted
                pass

    def to_all(self, fault: Fault) -> None:
        """To Redis, or to whoever it concerns."""
        OF_ALL[fault.kind](self, fault)

    def _apart(self, process: Process, fault: Fault) -> None:
        self._wires.cut_off.add(process.name)
        process.troubled = self._universe.now + fault.seconds
        if fault.what == "reset":
            self._cut(process, "")
        self._universe.after(fault.seconds, self._wires.cut_off.discard, process.name)

    def _cut(self, process: Process, role: str) -> None:
        for link in process.links:
            if link.client is not None and role in ("", link.role):
                process.hits.append(self._universe.now)
                self._wires.reset(link.client, RESET)

    def spawn(self, _: Fault) -> None:
        self._cast.spawn()

    def wake(self, _: Fault) -> None:
        for process in self._cast.processes.values():
            process.go_on()

    def pause(self, fault: Fault) -> None:
        self._redis.pause(fault.seconds, deaf=fault.what == "deaf")

    def reboot(self, _: Fault) -> None:
        self._redis.restart()
        self._redis.stood_still = self._universe.now
        for process in self._cast.processes.values():
            self._cut(process, "")

    def full(self, fault: Fault) -> None:
        self._redis.front.is_full = True
        self._redis.stood_still = self._universe.now + fault.seconds
        self._universe.after(fault.seconds, self._empty)

    def _empty(self) -> None:
        self._redis.front.is_full = False

    def flush(self, _: Fault) -> None:
        self._redis.flush()

    def remove(self, fault: Fault) -> None:
        lives = [one for one, of in self._truth.process_of.items() if of == fault.what]
        for name in [fault.what] if fault.what.startswith("~") else lives[-1:]:
            self._truth.taken_away(name)
            self._redis.foreign("XGROUP", "DELCONSUMER", self._keys.stream, self._keys.group, name)

    def delete(self, fault: Fault) -> None:
        self._truth.deleted(fault.what)
        self._redis.foreign("DEL", getattr(self._keys, fault.what))

    def destroy(self, _: Fault) -> None:
        self._truth.group_gone()
        self._redis.foreign("XGROUP", "DESTROY", self._keys.stream, self._keys.group)


OF_ALL = {
    "spawn": Happenings.spawn,
    "wake": Happenings.wake,
    "pause": Happenings.pause,
    "reboot": Happenings.reboot,
    "full": Happenings.full,
    "flush": Happenings.flush,
    "remove": Happenings.remove,
    "delete": Happenings.delete,
    "destroy": Happenings.destroy,
}
"""What happens to no one process."""
