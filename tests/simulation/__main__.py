"""Searches for violations: `python -m tests.simulation --profile own --count 2000`; replays one: `--replay own/137`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from .plan import Plan
from .profiles import PROFILES, plan_of
from .shrink import shrunk
from .store import Store
from .world import ScheduleResult, run


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="all", help="names separated by commas, or `every`")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--replay", default="", help="<profile>/<seed>, or a file of `regressions`")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--only", default="", help="shrink for this kind of violation")
    options = parser.parse_args()
    with Store() as store:
        if options.replay:
            return replay(store, options.replay, options.only, shrink=options.shrink)
        names = list(PROFILES) if options.profile == "every" else options.profile.split(",")
        return sum(search(store, name, options) for name in names)


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


def search(store: Store, profile: str, options: argparse.Namespace) -> int:
    began = time.monotonic()
    counts: Counter[str] = Counter()
    first: dict[str, ScheduleResult] = {}
    done = commands = 0
    seconds = 0.0
    for seed in range(options.start, options.start + options.count):
        ran = run(store, plan_of(profile, seed))
        done += 1
        seconds += ran.seconds
        commands += ran.commands
        for kind in ran.kinds:
            counts[kind] += 1
            if kind not in first or len(ran.plan.faults) < len(first[kind].plan.faults):
                first[kind] = ran
        if time.monotonic() - began > options.seconds:
            break
    took = time.monotonic() - began
    per = f"{done / took * 60:.0f}/min, {seconds / done:.0f} virtual s and {commands / done:.0f} commands each"
    show(f"{profile}: {done} schedules in {took:.0f} s ({per}): {dict(counts) or 'no violations'}")
    for kind, ran in first.items():
        violation = next(one for one in ran.violations if one.kind == kind)
        show(f"    {ran.plan.seed} {violation}"[:600])
    return sum(counts.values())


if __name__ == "__main__":
    sys.exit(min(main(), 1))
