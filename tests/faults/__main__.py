"""Storms of faults on real servers and processes, with one ledger outside Redis: `make faults`.

    python -m tests.faults --list
    python -m tests.faults --only kill,stop --seed 7 --rounds 3

It exits with 1 if a storm violates a promise, and prints the command that repeats it. The page
`docs/reference/faults.md` says what is checked and what is not covered.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from hiredis import HiredisError

from . import report
from .account import Result
from .families import named
from .family import Family
from .planted import PLANTED, PlantedBug, is_found, storm_with
from .running import run


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _result(family: Family, seed: int) -> Result:
    try:
        return run(family, seed)
    except (AssertionError, OSError, HiredisError) as error:
        return Result(family.name, seed, violations=[f"the storm did not end: {error!r}"])


def _tell(family: Family, result: Result) -> None:
    _say(f"{family.name}: seed {result.seed}: {family.does}")
    if result.left_out:
        _say(f"  left out, it needs {result.left_out}")
        return
    counts = ", ".join(f"{name.replace('_', ' ')} {getattr(result, name)}" for name in report.COLUMNS)
    _say(f"  {result.seconds:g} s, {counts}, violations {len(result.violations)}")
    for text in (*result.notes, *result.violations):
        _say(f"  {text}")
    if result.violations:
        _say(f"  repeat: python -m tests.faults --only {family.name} --seed {result.seed}")


def _storm(family: Family, seed: int) -> Result:
    """One storm, in a process of its own: senders and clocks are threads and settings of it."""
    command = [sys.executable, "-m", "tests.faults", "--only", family.name, "--seed", str(seed), "--as-json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        return Result(family.name, seed, violations=[f"the storm did not end: {ended.stderr[-500:]}"])
    return Result(**json.loads(ended.stdout.splitlines()[-1]))


def storms(families: list[Family], seeds: range, jobs: int) -> list[Result]:
    """Run them, some at a time; the longest begin first."""
    ordered = sorted(families, key=lambda one: not one.is_longest)
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(_storm, family, seed): family for family in ordered for seed in seeds}
        for one in as_completed(running):
            _tell(running[one], one.result())
    order = {one.name: place for place, one in enumerate(families)}
    return sorted((one.result() for one in running), key=lambda one: (order[one.family], one.seed))


def plant(seed: int, jobs: int) -> list[str]:
    """Plant each bug into the processes of a storm; return the bugs that the ledger does not show."""

    def storm(bug: PlantedBug) -> bool:
        command = [sys.executable, "-m", "tests.faults", "--plant", bug.what, "--seed", str(seed)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        found = ended.returncode == 0
        _say(f"{'found' if found else 'NOT FOUND'}: {bug.what}, in a storm of `{bug.family}`, as `{bug.finds}`")
        if not found:
            _say(f"  {ended.stdout[-1000:]}{ended.stderr[-1000:]}")
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return [bug.what for bug, found in zip(PLANTED, pool.map(storm, PLANTED), strict=True) if not found]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="families, separated by commas; writes no page of the docs")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the first round; by default a random one")
    parser.add_argument("--rounds", type=int, default=1, help="how many storms of each family, with successive seeds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many storms run at a time")
    parser.add_argument("--as-json", action="store_true", help="run one storm here, and print its result")
    parser.add_argument("--planted", action="store_true", help="plant bugs, and prove that storms find them; no others")
    parser.add_argument("--plant", default="", help="run one storm with this bug here, and exit with 0 if it is found")
    parser.add_argument("--list", action="store_true", help="list the families, and stop")
    options = parser.parse_args()
    families = named(options.only)
    if options.list:
        for one in families:
            _say(f"{one.name:12} {one.does} Tests: {one.promises}")
        return 0
    first = random.randrange(1_000_000) if options.seed is None else options.seed  # noqa: S311 - no secret
    if options.plant:
        logging.disable()
        [bug] = [one for one in PLANTED if one.what == options.plant]
        result = storm_with(bug, named(bug.family)[0], first)
        _say("\n".join(result.violations))
        return 0 if is_found(bug, result) else 1
    if options.planted:
        return int(bool(plant(first, options.jobs)))
    if options.as_json:
        logging.disable()  # of the senders, which run in this process
        _say(json.dumps(_result(families[0], first).as_json()))
        return 0
    began = time.monotonic()
    results = storms(families, range(first, first + options.rounds), options.jobs)
    missed = [] if options.only else plant(first, options.jobs)
    report.write(results, missed, whole=not options.only)
    _say(f"{len(results)} storms in {(time.monotonic() - began) / 60:.1f} minutes")
    _say(f"report: {report.BUILD / 'report.md'}")
    return int(bool(missed) or any(one.violations for one in results))


if __name__ == "__main__":
    sys.exit(main())
