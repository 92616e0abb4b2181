"""Report findings as text for people: the line, a caret under the value, a hint, and where to read more."""

from __future__ import annotations

from collections.abc import Callable

from penstock_spec.findings import Finding, LintResult, Severity
from penstock_spec.report import place
from penstock_spec.report.safe import head, safe, tail, width

Paint = Callable[[str, str], str]
"""Colours a text; `plain` leaves it unchanged."""

STYLE = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
LONGEST_LINE = 160
CUT = "..."
ENOUGH = 4 * LONGEST_LINE
"""In characters: a line can be as long as the file and have a hundred findings, so only this much is measured."""


def plain(text: str, style: str) -> str:
    """Return the text without colour."""
    del style
    return text


def render(result: LintResult, paint: Paint = plain) -> str:
    """All findings, then the summary."""
    parts = [one(finding, result.lines.get(finding.at.file, ()), paint) for finding in result.findings]
    return "\n".join([*parts, summary(result)]) + "\n"


def one(finding: Finding, lines: tuple[str, ...], paint: Paint = plain) -> str:
    """One finding."""
    at, style = finding.at, STYLE[finding.severity]
    head_line = paint(f"{finding.severity}[{finding.rule}]", style) + paint(f": {finding.title}", "bold")
    number = str(at.line)
    bar = " " * len(number) + " " + paint("|", "rule")
    shown = [head_line, f"{' ' * len(number)}{paint('-->', 'rule')} {place.location(at)}"]
    if place.has_line(at) and at.line <= len(lines) and lines[at.line - 1].strip():
        source, before, marked = excerpt(lines[at.line - 1], at.column, at.end_column if at.end_line == at.line else 0)
        caret = paint("^" * marked, style)
        shown += [
            bar,
            f"{paint(number + ' |', 'rule')} {source}".rstrip(),
            f"{bar} {' ' * before}{caret} {safe(finding.says)}",
            bar,
        ]
    else:
        shown += [bar, f"{bar} {safe(finding.says)}", bar]
    notes = [("hint", safe(finding.hint))] if finding.hint else []
    if finding.environments:
        notes.append(("in", ", ".join(finding.environments)))
    notes.append(("more", f"penstock explain {finding.rule}"))
    shown += [f"{' ' * len(number)} {paint('=', 'rule')} {paint(label + ':', 'bold')} {text}" for label, text in notes]
    return "\n".join(shown) + "\n"


def excerpt(line: str, column: int, end_column: int) -> tuple[str, int, int]:
    """The line as shown, the number of columns before the carets, and the number of carets, at least one.

    If the end is not after the start, the value continues on the next line and is marked to the end of this one.
    """
    end = end_column if end_column >= column else len(line.rstrip()) + 1
    before, marked, after = line[: column - 1], line[column - 1 : end - 1], line[end - 1 :]
    left, middle, right = safe(before[-ENOUGH:]), safe(marked[:ENOUGH]), safe(after[:ENOUGH])
    if width(left + middle + right) > LONGEST_LINE:
        left, middle, right = _around(left, middle, right)
    return left + middle + right, width(left), max(1, width(middle))


def _around(left: str, middle: str, right: str) -> tuple[str, str, str]:
    """The marked text with some text around it; `...` replaces omitted text."""
    available = LONGEST_LINE - 2 * width(CUT)
    if width(middle) > available // 2:
        middle, right = head(middle, available // 2), CUT
    if width(left + middle) > available:
        left = CUT + tail(left, available // 4)
    rest = LONGEST_LINE - width(left + middle)
    if width(right) > rest:
        right = head(right, rest - width(CUT)) + CUT
    return left, middle, right


def summary(result: LintResult) -> str:
    """`1 error and 2 warnings in 5 specs`."""
    specs = f"{result.specs} spec" + ("" if result.specs == 1 else "s")
    counts = [(result.count(severity), severity.value) for severity in Severity]
    parts = [f"{count} {name}" + ("" if count == 1 or name == "info" else "s") for count, name in counts if count]
    if not parts:
        return f"no findings in {specs}"
    return f"{', '.join(parts[:-1]) + ' and ' if parts[1:] else ''}{parts[-1]} in {specs}"
