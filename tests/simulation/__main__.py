"""Searches for violations: `python -m tests.simulation --profile own --count 2000`; replays one: `--replay own/137`.

A search uses all cores: each process has a server of its own, and runs every n-th seed.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import json
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Self

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from .plan import Plan
from .profiles import PROFILES, plan_of
from .shrink import shrunk
from .store import Store
from .world import ScheduleResult, run

CHUNK = 20
"""The schedules that a process runs at a time."""
UNCACHED = 32
"""Every n-th schedule gets all replies from the server, in case the cache hides what a change breaks."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="all", help="names separated by commas, or `every`")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="for each profile")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--replay", default="", help="<profile>/<seed>, or a file of `regressions`")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--only", default="", help="shrink for this kind of violation")
    options = parser.parse_args()
    if options.replay:
        with Store() as store:
            return replay(store, options.replay, options.only, shrink=options.shrink)
    names = list(PROFILES) if options.profile == "every" else options.profile.split(",")
    began = time.monotonic()
    total = SearchResult()
    with get_context("fork").Pool(options.jobs, start_server) as pool:
        for name in names:
            total += search(pool, name, options)
        pool.close()
        pool.join()
    show(rate("all profiles" if len(names) > 1 else names[0], total, time.monotonic() - began))
    return sum(total.counts.values())


def show(*lines: object) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def replay(store: Store, what: str, only: str, *, shrink: bool) -> int:
    profile, _, seed = what.partition("/")
    plan = plan_of(profile, int(seed)) if profile in PROFILES else Plan.of(json.loads(Path(what).read_text())["plan"])
    if shrink:
        kind = only or next(iter(sorted(run(store, plan).kinds)))
        plan = shrunk(store, plan, kind)
    ran = run(store, plan, traced=True)
    show(*ran.trace, json.dumps(plan.to_json()), *ran.violations)
    return len(ran.violations)


@dataclass(slots=True)
class SearchResult:
    """The result of some schedules."""

    schedules: int = 0
    seconds: float = 0.0
    """Virtual seconds."""
    commands: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """The schedules with each kind of violation."""
    smallest: dict[str, ScheduleResult] = field(default_factory=dict)
    """The one with the fewest faults for each kind."""

    def add(self, ran: ScheduleResult) -> None:
        self.schedules += 1
        self.seconds += ran.seconds
        self.commands += ran.commands
        for kind in ran.kinds:
            self.counts[kind] += 1
            self._compare(kind, ran)

    def __iadd__(self, other: SearchResult) -> Self:
        self.schedules += other.schedules
        self.seconds += other.seconds
        self.commands += other.commands
        self.counts += other.counts
        for kind, ran in other.smallest.items():
            self._compare(kind, ran)
        return self

    def _compare(self, kind: str, ran: ScheduleResult) -> None:
        present = self.smallest.get(kind)
        if present is None or (len(ran.plan.faults), ran.plan.seed) < (len(present.plan.faults), present.plan.seed):
            self.smallest[kind] = ran


_own: list[Store] = []
"""The server of a process of a search."""


def start_server() -> None:
    """Start the server of this process, which ends with it; schedules leave few cycles worth collecting early."""
    _own.append(Store())
    _own[0].__enter__()
    atexit.register(_own[0].__exit__, None, None, None)
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def search_seeds(profile: str, seeds: range, until: float) -> SearchResult:
    """Run some schedules, until a time of the monotonic clock."""
    result = SearchResult()
    for seed in seeds:
        result.add(run(_own[0], plan_of(profile, seed), cached=seed % UNCACHED != 0))
        if time.monotonic() > until:
            break
    return result


def search(pool: Pool, profile: str, options: argparse.Namespace) -> SearchResult:
    began = time.monotonic()
    end, step = options.start + options.count, CHUNK
    chunks = [range(at, min(at + step, end)) for at in range(options.start, end, step)]
    result = SearchResult()
    for some in pool.starmap(search_seeds, [(profile, one, began + options.seconds) for one in chunks], chunksize=1):
        result += some
    each = (
        f"{result.seconds / result.schedules:.0f} virtual s and {result.commands / result.schedules:.0f} commands each"
    )
    show(f"{rate(profile, result, time.monotonic() - began)}, {each}: {dict(result.counts) or 'no violations'}")
    for kind, ran in result.smallest.items():
        violation = next(one for one in ran.violations if one.kind == kind)
        show(f"    {ran.plan.seed} {violation}"[:600])
    return result


def rate(name: str, result: SearchResult, seconds: float) -> str:
    return f"{name}: {result.schedules} schedules in {seconds:.0f} s, {result.schedules / seconds * 60:.0f} a minute"


if __name__ == "__main__":
    sys.exit(min(main(), 1))
