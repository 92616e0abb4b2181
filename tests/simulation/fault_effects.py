"""Applies faults to processes and to the server, as `faults.py` names them."""

from __future__ import annotations

from typing import Protocol

from penstock.keys import PipelineKeys

from .network import Network
from .plan import Fault
from .processes import JanitorProcess, Process, WorkerProcess
from .server import Redis
from .truth import Truth
from .universe import Universe

BESIDE = "beside"
"""The name of another group on the stream."""
RESET = "the connection was reset"


class Population(Protocol):
    """The processes of a world."""

    processes: dict[str, Process]

    def spawn(self) -> None:
        """Start one more worker."""

    def restart(self, janitor: JanitorProcess) -> None:
        """Replace a janitor by a new process."""


class FaultEffects:
    """Applies faults."""

    def __init__(  # noqa: PLR0913, PLR0917 - everything that faults affect
        self,
        universe: Universe,
        redis: Redis,
        network: Network,
        truth: Truth,
        keys: PipelineKeys,
        population: Population,
    ) -> None:
        self._universe = universe
        self._redis = redis
        self._network = network
        self._truth = truth
        self._keys = keys
        self._population = population

    def end_all(self) -> None:
        """End all lasting faults."""
        self._alone_again()
        self._network.cut_off.clear()
        self._redis.client.is_full = False
        self._redis.go_on()
        for process in self._population.processes.values():
            process.trouble_until = max(process.trouble_until, self._universe.now)
            process.go_on()

    def to(self, process: Process, fault: Fault) -> None:
        """Apply a fault to one process."""
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
                self._population.restart(process)
            case "partition":
                self._partition(process, fault)
            case "cut":
                self._cut(process, fault.who.partition("/")[2])
            case _:  # janitors are not drained, workers are not restarted
                pass

    def to_all(self, fault: Fault) -> None:
        """Apply a fault to Redis or to all processes."""
        OF_ALL[fault.kind](self, fault)

    def _partition(self, process: Process, fault: Fault) -> None:
        self._network.cut_off.add(process.name)
        process.trouble_until = self._universe.now + fault.seconds
        if fault.what == "reset":
            self._cut(process, "")
        self._universe.after(fault.seconds, self._network.cut_off.discard, process.name)

    def _cut(self, process: Process, role: str) -> None:
        for link in process.links:
            if link.client is not None and role in ("", link.role):
                process.hits.append(self._universe.now)
                self._network.reset(link.client, RESET)

    def spawn(self, _: Fault) -> None:
        """Start one more worker."""
        self._population.spawn()

    def wake(self, _: Fault) -> None:
        for process in self._population.processes.values():
            process.go_on()

    def pause(self, fault: Fault) -> None:
        self._redis.pause(fault.seconds, deaf=fault.what == "deaf")

    def reboot(self, _: Fault) -> None:
        self._redis.restart()
        self._redis.unavailable_until = self._universe.now
        for process in self._population.processes.values():
            self._cut(process, "")

    def full(self, fault: Fault) -> None:
        self._redis.client.is_full = True
        self._redis.unavailable_until = self._universe.now + fault.seconds
        self._universe.after(fault.seconds, self._empty)

    def _empty(self) -> None:
        self._redis.client.is_full = False

    def flush(self, _: Fault) -> None:
        self._redis.flush()

    def remove(self, fault: Fault) -> None:
        consumers = [one for one, of in self._truth.process_of.items() if of == fault.what]
        for name in [fault.what] if fault.what.startswith("~") else consumers[-1:]:
            self._truth.consumer_deleted(name)
            self._redis.foreign("XGROUP", "DELCONSUMER", self._keys.stream, self._keys.group, name)

    def delete(self, fault: Fault) -> None:
        self._truth.deleted(fault.what)
        self._redis.foreign("DEL", getattr(self._keys, fault.what))

    def destroy(self, _: Fault) -> None:
        self._truth.group_gone()
        self._redis.foreign("XGROUP", "DESTROY", self._keys.stream, self._keys.group)

    def beside(self, fault: Fault) -> None:
        self._truth.stays_for_others = True
        self._redis.foreign("XGROUP", "CREATE", self._keys.stream, BESIDE, "0", "MKSTREAM")
        self._universe.after(fault.seconds, self._alone_again)

    def _alone_again(self) -> None:
        if self._truth.stays_for_others:
            self._redis.foreign("XGROUP", "DESTROY", self._keys.stream, BESIDE)

    def set_back(self, _: Fault) -> None:
        self._truth.group_set_back()
        self._redis.foreign("XGROUP", "SETID", self._keys.stream, self._keys.group, "0")


OF_ALL = {
    "spawn": FaultEffects.spawn,
    "wake": FaultEffects.wake,
    "pause": FaultEffects.pause,
    "reboot": FaultEffects.reboot,
    "full": FaultEffects.full,
    "flush": FaultEffects.flush,
    "remove": FaultEffects.remove,
    "delete": FaultEffects.delete,
    "destroy": FaultEffects.destroy,
    "set-back": FaultEffects.set_back,
    "beside": FaultEffects.beside,
}
"""The faults that affect more than one process."""
