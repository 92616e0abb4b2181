"""Plants each bug in turn, and proves that the simulation finds it: `make planted`.

It writes `docs/reference/planted-bugs.md`, and exits with 1 if a bug is not found.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median_low

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from .omissions import OMISSIONS, Omission
from .planted_in_classes import IN_CLASSES
from .planted_in_scripts import IN_SCRIPTS
from .profiles import plan_of
from .store import Store, Texts
from .world import finds, run

BUGS = (*OMISSIONS, *IN_SCRIPTS, *IN_CLASSES)
WITHIN = 400
"""The number of schedules to search."""
SEARCHES = (0, 10_000, 20_000)
"""The first seeds of independent searches. The report has their median."""
REPORT = Path(__file__).parents[2] / "docs" / "reference" / "planted-bugs.md"
HEAD = """\
# Planted bugs

A test that never fails proves nothing. So `make planted` removes a safeguard or plants a bug in the scripts or
classes of the runtime, one at a time, and runs the [simulation](../explanation/testing.md) until it finds a violation
of a promise. It fails if one is not found, or if the text to change is not in the code any more. It also writes this
page.

The last column says how many random schedules the search needed: the median of {searches} searches with other seeds.
*By hand* means one schedule, written for this bug, that passes without it. The third column is the kind of the
violation, as in `tests/simulation/truth.py`; most searches find others as well.

| bug | planted in | violation | profile | schedules |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Found:
    """How a bug was found."""

    bug: int
    schedules: int | None
    """None if it was not found; 0 if by hand."""

    @property
    def row(self) -> str:
        """Its row of the report."""
        bug = BUGS[self.bug]
        places = [f"`{name}.lua`" for name in sorted(bug.scripts)]
        methods = [one[:2] for one in bug.methods] + [one[:2] for one in bug.edits]
        places += [f"`{owner.__name__}.{name}`" for owner, name in methods]
        schedules = "by hand" if bug.plan else str(self.schedules)
        return f"| {bug.what} | {', '.join(places)} | `{bug.finds}` | {bug.profile or '-'} | {schedules} |\n"


def schedules_until_found(store: Store, bug: Omission, texts: Texts, first: int, within: int = WITHIN) -> int | None:
    """Search for a planted bug; return how many schedules that took, or None if they did not find it."""
    for number in range(within):
        if finds(store, plan_of(bug.profile, first + number), bug.finds, texts):
            return number + 1
    return None


def found(store: Store, number: int) -> Found:
    """Plant a bug, and find it."""
    bug = BUGS[number]
    if bug.plan:
        assert not run(store, bug.plan).violations, f"the schedule for `{bug.what}` fails without it"
        with bug.planted() as texts:
            return Found(number, 0 if finds(store, bug.plan, bug.finds, texts) else None)
    with bug.planted() as texts:
        needed = [schedules_until_found(store, bug, texts, first) for first in SEARCHES]
    if any(one is None for one in needed):
        return Found(number, None)
    return Found(number, median_low([one for one in needed if one is not None]))


def _share(numbers: list[int]) -> list[Found]:
    with Store() as store:
        return [_told(_found_or_not(store, number)) for number in numbers]


def _found_or_not(store: Store, number: int) -> Found:
    try:
        return found(store, number)
    except AssertionError as error:
        sys.stdout.write(f"{BUGS[number].what}: {error}\n")
        return Found(number, None)


def _told(one: Found) -> Found:
    result = "NOT FOUND" if one.schedules is None else "found"
    sys.stdout.write(f"{result} {one.row[2:-3]}\n")
    sys.stdout.flush()
    return one


def search(numbers: list[int], jobs: int) -> Iterator[Found]:
    """Find these bugs, in several processes."""
    with get_context("fork").Pool(jobs) as pool:
        for some in pool.imap_unordered(_share, [numbers[at::jobs] for at in range(jobs)]):
            yield from some


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", default="", help="bugs whose description contains this; writes no report")
    options = parser.parse_args()
    numbers = [number for number, bug in enumerate(BUGS) if options.only in bug.what]
    all_found = sorted(search(numbers, options.jobs), key=lambda one: one.bug)
    missed = [BUGS[one.bug].what for one in all_found if one.schedules is None]
    sys.stdout.write(f"{len(all_found) - len(missed)} of {len(all_found)} planted bugs found\n")
    if missed:
        sys.stdout.write("".join(f"not found: {one}\n" for one in missed))
    elif not options.only:
        REPORT.write_text(HEAD.format(searches=len(SEARCHES)) + "".join(one.row for one in all_found))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
