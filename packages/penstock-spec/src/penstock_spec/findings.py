"""Findings of the checks: data with a place, a message and a hint. `report` renders them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """The severity of a rule. Only errors fail a run that is not strict."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Span(NamedTuple):
    """A range in a file. Lines and columns count from 1, columns in characters; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        """`file:line:column`, which editors and terminals link."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem at one place, with one hint."""

    rule: str
    severity: Severity
    title: str
    at: Span
    says: str
    hint: str
    environments: tuple[str, ...] = ()
    """The environments with this finding. Empty if all have it, or if it does not depend on them."""
    path: str = ""
    """The path of the field, such as `scaling.replicas.max`. Empty if it is not about a field."""

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """The sort key: by file, line and column."""
        return (self.at.file, self.at.line, self.at.column, self.rule, self.says)


@dataclass(frozen=True, slots=True)
class LintResult:
    """The findings of a run, and the files that it checked."""

    findings: tuple[Finding, ...]
    specs: int
    lines: dict[str, tuple[str, ...]]
    """The lines of every file that a finding points into."""
    files: tuple[str, ...] = ()
    """All checked files, with and without findings."""

    def count(self, severity: Severity) -> int:
        """The number of findings of a severity."""
        return sum(one.severity is severity for one in self.findings)


class CannotGoOn(Exception):  # noqa: N818 - the user reads its message; it is not a bug
    """The command cannot continue; the message says why, the hint what to do. Exit code 2."""

    def __init__(self, says: str, hint: str = "") -> None:
        """Say what happened, with a hint if there is one."""
        super().__init__(says)
        self.says = says
        self.hint = hint


class NoSuchEnvironment(CannotGoOn):
    """The selected environment does not exist."""

    def from_variable(self, variable: str) -> CannotGoOn:
        """The same error, for a name that this environment variable selected."""
        return CannotGoOn(f"{self.says} (from `{variable}`)", self.hint)
