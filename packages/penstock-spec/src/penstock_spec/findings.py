"""What the checks find: values with a place, in words that say how to put it right.

A finding is data. Whether it becomes text under a caret, an annotation or a line of SARIF is the business of `report`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How bad it is; only errors fail a run that is not strict."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Span(NamedTuple):
    """A stretch of a file. Lines and columns count from 1, columns in characters; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        """`file:line:column`, as editors and terminals link it."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, at one place, with one way out."""

    rule: str
    severity: Severity
    title: str
    at: Span
    says: str
    hint: str
    environments: tuple[str, ...] = ()
    """The environments it holds in; none when it holds in all, or when it has nothing to do with them."""
    path: str = ""
    """Where in the spec, such as `scaling.replicas.max`; empty where there is no such thing."""

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """Findings are told in the order in which a reader meets them."""
        return (self.at.file, self.at.line, self.at.column, self.rule, self.says)


@dataclass(frozen=True, slots=True)
class LintResult:
    """What a run found, and over how much."""

    findings: tuple[Finding, ...]
    specs: int
    lines: dict[str, tuple[str, ...]]
    """The lines of every file that a finding points into."""
    files: tuple[str, ...] = ()
    """Every file that was looked at, found wanting or not."""

    def count(self, severity: Severity) -> int:
        """How many of a severity."""
        return sum(one.severity is severity for one in self.findings)


class CannotGoOn(Exception):  # noqa: N818 - it is told to the user as it stands, and is no error of the program
    """The command cannot do what it was asked; the message says why and what to do. Exit code 2."""

    def __init__(self, says: str, hint: str = "") -> None:
        """Tell what happened and, where there is one, the way out."""
        super().__init__(says)
        self.says = says
        self.hint = hint
