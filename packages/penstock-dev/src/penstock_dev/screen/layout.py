"""Divides the lines of the window: first to the table, then to the details of one spec, then to the log."""

from __future__ import annotations

from dataclasses import dataclass

FIXED = 2
"""The heading and the line of keys."""
MAX_PROBLEMS = 3
PLANS = ((7, 4, 4), (4, 3, 3), (4, 0, 2), (0, 0, 0))
"""Lines of the details, minimum lines of the log, and minimum lines of the table; titles included."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of each pane, titles included; 0 hides it."""

    problems: int
    table: int
    detail: int
    log: int


def plan_layout(lines: int, specs: int, problem_lines: int, result: int = 1) -> Layout:
    """The first plan that fits, next to the lines of problems and of the last result."""
    problems = max(min(problem_lines, MAX_PROBLEMS, lines - FIXED - result - 2), 0)
    left = max(lines - FIXED - result - problems, 0)
    wanted = specs + 1
    for detail, log, least in PLANS:
        if left - detail - log >= min(wanted, least):
            break
    if not log:
        table = min(wanted, left - detail) if detail else left
        return Layout(problems, table, left - table, 0)
    # The log keeps half of the window even with many pipelines: it explains the numbers.
    table = min(wanted, left - detail - log, max(left // 2, least))
    return Layout(problems, table, detail, left - detail - table)
