"""Who gets how many lines of a window: the table first, then what is to be said of one pipeline, then the log."""

from __future__ import annotations

from dataclasses import dataclass

AROUND = 2
"""A line of heading, and one of keys."""
MOST_TROUBLE = 3
WAYS = ((7, 4, 4), (4, 3, 3), (4, 0, 2), (0, 0, 0))
"""Lines of the detail, of the log at least, and of the table at least, should it want as many; titles included."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines for each pane, titles included; 0 where it is not shown."""

    problems: int
    table: int
    detail: int
    log: int


def plan_layout(lines: int, specs: int, problem_lines: int, did: int = 1) -> Layout:
    """The first way that fits, beside so many lines of trouble and of what keys did."""
    problems = max(min(problem_lines, MOST_TROUBLE, lines - AROUND - did - 2), 0)
    left = max(lines - AROUND - did - problems, 0)
    wanted = specs + 1
    for detail, log, least in WAYS:
        if left - detail - log >= min(wanted, least):
            break
    if not log:
        table = min(wanted, left - detail) if detail else left
        return Layout(problems, table, left - table, 0)
    # Many pipelines leave the log half of the window: it says why numbers are as they are.
    table = min(wanted, left - detail - log, max(left // 2, least))
    return Layout(problems, table, detail, left - detail - table)
