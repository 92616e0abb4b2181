"""Findings for people: the line, a caret under the value, one hint, and where to read more."""

from __future__ import annotations

from collections.abc import Callable

from penstock_spec.findings import Finding, Severity
from penstock_spec.lint import Outcome
from penstock_spec.report.safe import safe, width

Paint = Callable[[str, str], str]
"""Puts a text into a style; `plain` leaves it as it is."""

STYLE = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
LONGEST_LINE = 160


def plain(text: str, style: str) -> str:
    """No colour."""
    del style
    return text


def render(outcome: Outcome, paint: Paint = plain) -> str:
    """All findings, then the count."""
    parts = [one(finding, outcome.lines.get(finding.at.file, ()), paint) for finding in outcome.findings]
    return "\n".join([*parts, summary(outcome)]) + "\n"


def one(finding: Finding, lines: tuple[str, ...], paint: Paint = plain) -> str:
    """One finding."""
    at, style = finding.at, STYLE[finding.severity]
    head = paint(f"{finding.severity}[{finding.rule}]", style) + paint(f": {finding.title}", "bold")
    number = str(at.line)
    bar = " " * len(number) + " " + paint("|", "rule")
    told = [head, f"{' ' * len(number)}{paint('-->', 'rule')} {safe(str(at))}"]
    if at.line <= len(lines) and lines[at.line - 1].strip():
        source, before, marked = excerpt(lines[at.line - 1], at.column, at.end_column if at.end_line == at.line else 0)
        caret = paint("^" * max(1, marked), style)
        told += [
            bar,
            f"{paint(number + ' |', 'rule')} {source}".rstrip(),
            f"{bar} {' ' * before}{caret} {safe(finding.says)}",
            bar,
        ]
    else:
        told += [bar, f"{bar} {safe(finding.says)}", bar]
    notes = [("hint", safe(finding.hint))] if finding.hint else []
    if finding.environments:
        notes.append(("in", ", ".join(finding.environments)))
    notes.append(("more", f"penstock explain {finding.rule}"))
    told += [f"{' ' * len(number)} {paint('=', 'rule')} {paint(label + ':', 'bold')} {text}" for label, text in notes]
    return "\n".join(told) + "\n"


def excerpt(line: str, column: int, end_column: int) -> tuple[str, int, int]:
    """The line as it is shown, the columns before the marked part, and the columns of the marked part."""
    end = end_column if end_column > column else len(line.rstrip()) + 1
    before, marked, after = line[: column - 1], line[column - 1 : end - 1], line[end - 1 :]
    left, middle, right = safe(before), safe(marked), safe(after)
    if width(left + middle) > LONGEST_LINE:  # a long line is shown around the caret
        left = "... " + left[-40:]
        middle = middle[:80]
    return (left + middle + right)[:LONGEST_LINE], width(left), width(middle)


def summary(outcome: Outcome) -> str:
    """`1 error and 2 warnings in 5 specs`."""
    specs = f"{outcome.specs} spec" + ("" if outcome.specs == 1 else "s")
    counts = [(outcome.count(severity), severity.value) for severity in Severity]
    told = [f"{count} {name}" + ("" if count == 1 or name == "info" else "s") for count, name in counts if count]
    if not told:
        return f"no findings in {specs}"
    return f"{', '.join(told[:-1]) + ' and ' if told[1:] else ''}{told[-1]} in {specs}"
