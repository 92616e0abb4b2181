"""Reports: `build/faults/report.md` and `.json` of each run, and `docs/reference/faults.md` of the last whole one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from .account import Result
from .families import FAMILIES
from .planted import PLANTED

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "faults"
PAGE = ROOT / "docs" / "reference" / "faults.md"
SOAK = ROOT / "docs" / "pictures" / "soak.svg"
"""The picture of the last soak of at least 15 minutes."""
COLUMNS = ("messages", "acknowledged", "unknown", "refused", "done", "dead", "lost", "run_twice")
HEAD = """\
# Fault injection

`make faults` starts real workers, janitors, senders and a real Redis. It injects the faults of one family after the
other, and waits until everything is at rest. A ledger outside Redis records what senders were told, and what handlers
began and ended. A storm fails if the ledger, Redis and the [promises](../explanation/states.md#promises) disagree. A
whole run writes this page.

Each storm checks that:

- every acknowledged message is done, or is a dead letter with a reason; no refused message runs;
- one `send()` adds at most one entry, also when its answer is lost;
- no fence is used twice, and a result is always from the last owner that began;
- no message has more attempts than `retries.attempts` and one more, alone, if it was lost with its worker;
- at rest nothing is pending, parked or recorded, no consumer is left, and `penstock status` shows zero everywhere;
  consumers of lost workers may take as long as their number falls;
- no process ends by itself, and all drain with exit code 0.

Where Redis itself loses what it acknowledged, the storm excuses exactly the messages of the lost time, and the promise
is: no crash loop, nothing stuck, and all later messages are done.

| family | faults | promises | last result |
|---|---|---|---|
"""
REST = """
## The last whole run

*Unknown* are messages whose send had no answer, *refused* those that Redis did not take. *Lost* are those that Redis
lost itself, or that a foreign client deleted. `make faults ARGS="--only kill --seed 7"` repeats the plan of a storm.

{numbers}

## Planted bugs

A ledger that never fails proves nothing. So `make faults` also plants four [bugs of the simulation](planted-bugs.md)
into real processes, and fails if a storm does not show its bug. `make faults ARGS=--planted` does only that.

| bug | family | violation | last result |
|---|---|---|---|
{planted}

## Soak

`make soak` mixes load and faults for 15 minutes, and samples the memory, files and connections of each process and the
memory of Redis every second. The first quarter is a warm-up. After it, a line may grow by 16 MiB, 8 files or 4
connections, by the median of all slopes between two points (Theil-Sen). It draws `build/faults/soak.svg`; the last one:

![Memory, files and connections of each process in a soak of 15 minutes](../pictures/soak.svg)

## What is not covered

{items}
"""
OMITTED = (
    "A process that is killed at each `await`: `tests/simulation` does that. Here, kills are at random.",
    "Calls of Redis in scripts that `half-way` does not reach: about half; its report counts them by script.",
    "Scripts that end half-way with delayed messages, which `promote` may then add twice.",
    "Packets that disappear below TCP. In `half-open`, a proxy goes silent, and its kernel still confirms.",
    "A clock of Redis that goes back by more than 2 s. All due times would be as much later.",
    "Scripts that end half-way where history is kept: then a group that is set back may repeat a fence.",
    "A failover that loses acknowledged writes, and an old master that goes on acknowledging.",
    "Planted bugs in most families: four of them have one.",
    "A seed determines the plan of the faults, not the order in which processes run. Repeat a seed several times.",
)


def write(results: list[Result], missed: Sequence[str] = (), *, whole: bool) -> None:
    """Write the reports; a whole run also writes the page of the docs."""
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "report.json").write_text(json.dumps([one.as_json() for one in results], indent=2) + "\n")
    (BUILD / "report.md").write_text(f"# Faults\n\n{_numbers(results)}\n")
    if whole:
        PAGE.write_text(page(results, missed))


def page(results: list[Result], missed: Sequence[str] = ()) -> str:
    """The page of the docs; `missed` are the planted bugs that were not found."""
    planted = [
        _row((one.what, f"`{one.family}`", one.finds, "NOT FOUND" if one.what in missed else "found"))
        for one in PLANTED
    ]
    rows = []
    for family in FAMILIES:
        own = [one for one in results if one.family == family.name]
        broken = sum(bool(one.violations) for one in own)
        last = "no violation" if own and not broken else f"{broken} of {len(own)} storms with a violation"
        if left_out := next((one.left_out for one in own if one.left_out), ""):
            last = f"left out: the machine lacks {left_out}"
        rows.append(_row((f"`{family.name}`", family.does, family.promises, last if own else "not run")))
    return HEAD + "\n".join(rows) + "\n" + _rest(results, planted)


def _rest(results: list[Result], planted: list[str]) -> str:
    items = "\n".join(f"- {one}" for one in OMITTED)
    return REST.format(numbers=_numbers(results), planted="\n".join(planted), items=items)


def _numbers(results: list[Result]) -> str:
    """The table of a run, and what each storm adds."""
    head = ("family", "seed", "seconds", *(name.replace("_", " ") for name in COLUMNS), "violations")
    rows = [
        (one.family, one.seed, one.seconds, *(getattr(one, name) for name in COLUMNS), len(one.violations))
        for one in results
    ]
    details = [
        f"- `{one.family}`, seed {one.seed}: {text}" for one in results for text in (*one.violations, *one.notes)
    ]
    return "\n".join([*map(_row, (head, ["---"] * len(head), *rows)), "", *details])


def _row(cells: object) -> str:
    assert isinstance(cells, (list, tuple))
    return "| " + " | ".join(map(str, cells)) + " |"
