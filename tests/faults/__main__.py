"""Storms of faults on real servers and processes, with one ledger outside Redis: `make faults`.

    python -m tests.faults --list
    python -m tests.faults --only kill,stop --seed 7 --rounds 3

It exits with 1 if a storm violates a promise, and prints the command that repeats it. The page
`docs/reference/faults.md` says what is checked and what is not covered.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from hiredis import HiredisError

from . import report
from .account import Result
from .families import named
from .family import Family
from .running import run


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _told(family: Family, seed: int) -> Result:
    _say(f"{family.name}: seed {seed}: {family.does}")
    try:
        result = run(family, seed)
    except (AssertionError, OSError, HiredisError) as error:
        result = Result(family.name, seed, violations=[f"the storm did not end: {error!r}"])
    counts = ", ".join(f"{name.replace('_', ' ')} {getattr(result, name)}" for name in report.COLUMNS)
    _say(f"  {result.seconds:g} s, {counts}, violations {len(result.violations)}")
    for text in (*result.notes, *result.violations):
        _say(f"  {text}")
    if result.violations:
        _say(f"  repeat: python -m tests.faults --only {family.name} --seed {seed}")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="families, separated by commas; writes no page of the docs")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the first round; by default a random one")
    parser.add_argument("--rounds", type=int, default=1, help="how many storms of each family, with successive seeds")
    parser.add_argument("--list", action="store_true", help="list the families, and stop")
    options = parser.parse_args()
    logging.disable()  # of the senders, which run in this process
    families = named(options.only)
    if options.list:
        for one in families:
            _say(f"{one.name:12} {one.does} Tests: {one.promises}")
        return 0
    first = random.randrange(1_000_000) if options.seed is None else options.seed  # noqa: S311 - no secret
    results = [_told(family, first + number) for family in families for number in range(options.rounds)]
    report.write(results, whole=not options.only)
    _say(f"report: {report.BUILD / 'report.md'}")
    return int(any(one.violations for one in results))


if __name__ == "__main__":
    sys.exit(main())
