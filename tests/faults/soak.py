"""Mixed load with faults for a long time; memory, files, connections and Redis must stay flat: `make soak`.

    python -m tests.faults.soak --minutes 15 --seed 7

The faults are those that processes survive: lost and late replies, cut connections, a suspended worker, a full and a
frozen Redis. One more worker is killed now and then, so that there are suspects, and is not measured. The rule: after
a quarter of the time, a line may grow by 16 MiB, 8 files or 4 connections at most, by its Theil-Sen slope.
"""

from __future__ import annotations

import argparse
import logging
import random
import signal
import sys
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from hiredis import HiredisError
from raw_client import RawClient
from servers import Server
from targets import Target

from penstock.embedded import LOOPBACK
from penstock.wire.credentials import Credentials

from . import fault_proxy, load
from .account import Result, facts_of, fill
from .report import BUILD, SOAK
from .samples import MEBIBYTE, Series, files_and_connections, memory, svg
from .storm import Storm
from .supervised import Place, pause

WHOLE = 15.0
"""Minutes from which on a soak is kept in the docs."""
EVERY = 1.0
WINDOW = "30s"
"""Of deduplication: keys of older sends are gone, so that the memory of Redis can stay flat."""


class Sampler(threading.Thread):
    """Samples the processes of some places, and Redis, every second."""

    def __init__(self, places: list[Place], server: Server) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self._port = server.port
        self._began = time.monotonic()
        self._places = [(f"{place.role} {number}", place.process.process.pid) for number, place in enumerate(places)]
        names = [name for name, _ in self._places]
        self.series = {
            (unit, name): Series(name, unit) for unit in ("memory", "files", "connections") for name in names
        }
        self.series["redis", "used_memory"] = Series("used_memory", "redis")

    def run(self) -> None:
        while not self.stopped.wait(EVERY):
            at = time.monotonic() - self._began
            for name, pid in self._places:
                with suppress(OSError):
                    files, connections = files_and_connections(pid)
                    self.series["memory", name].points.append((at, memory(pid)))
                    self.series["files", name].points.append((at, files))
                    self.series["connections", name].points.append((at, connections))
            with suppress(OSError, HiredisError), closing(RawClient(LOOPBACK, self._port, seconds=EVERY)) as client:
                used = str(client.ask("INFO", "memory")).partition("used_memory:")[2].split()[0]
                self.series["redis", "used_memory"].points.append((at, int(used) / MEBIBYTE))


def weather(storm: Storm, victim: Place, seconds: float) -> None:
    """One random fault after the other."""
    rng, end = storm.rng, time.monotonic() + seconds
    while time.monotonic() < end:
        storm.pause(1, 5)
        match rng.randrange(10):
            case 0:
                victim.kill()
            case 1:
                sleeper = rng.choice(storm.places)
                sleeper.signal(signal.SIGSTOP)
                pause(rng.uniform(1, 13))
                sleeper.signal(signal.SIGCONT)
            case 2:
                storm.server.pause()
                pause(rng.uniform(0.5, 4))
                storm.server.resume()
            case 3:
                storm.server.ask("CONFIG", "SET", "maxmemory", 1)
                pause(rng.uniform(0.5, 4))
                storm.server.ask("CONFIG", "SET", "maxmemory", 0)
            case _:
                rng.choice(fault_proxy.QUICK)(rng.choice(storm.cables), rng)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=WHOLE)
    parser.add_argument("--seed", type=int, default=None, help="by default a random one")
    options = parser.parse_args()
    logging.disable()  # of the senders, which run in this process
    seed = random.randrange(1_000_000) if options.seed is None else options.seed  # noqa: S311 - no secret
    repeat = f"python -m tests.faults.soak --minutes {options.minutes:g} --seed {seed}"
    sys.stdout.write(f"{repeat}\n")
    result = Result("soak", seed)
    with tempfile.TemporaryDirectory(prefix="penstock-soak-") as folder, Server(appendonly=True) as server:
        target = Target(server.model(), Credentials(), [server])
        rng = Random(f"soak/{seed}")  # noqa: S311 - no secret
        with Storm(Path(folder), target, rng, seconds=0, through_cables=True, kinds=load.SOAK, window=WINDOW) as storm:
            *_, victim = storm.workers
            sampler = Sampler([place for place in storm.places if place is not victim], server)
            sampler.start()
            weather(storm, victim, options.minutes * 60)
            sampler.stopped.set()
            sampler.join()
            result.violations += storm.calm()
            fill(result, facts_of(storm))
    series = list(sampler.series.values())
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "soak.svg").write_text(svg(series))
    if options.minutes >= WHOLE:
        SOAK.write_text(svg(series))
    for one in series:
        values = [value for _, value in one.judged()] or [0.0]
        grows = f"{one.unit:12} {one.name:12} {values[0]:8.1f} -> {values[-1]:8.1f}, growth {one.growth():+.2f}"
        sys.stdout.write(f"{grows}\n")
        if not one.is_flat:
            result.violations.append(f"not flat: {grows}")
    sys.stdout.write(
        f"{result.messages} messages, {result.done} done, {result.dead} dead, drawn: {BUILD / 'soak.svg'}\n"
    )
    for text in result.violations:
        sys.stdout.write(f"{text}\n")
    if result.violations:
        sys.stdout.write(f"repeat: {repeat}\n")
    return int(bool(result.violations))


if __name__ == "__main__":
    sys.exit(main())
