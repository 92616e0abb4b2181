"""Report findings as annotations of a GitHub workflow, which the runner shows beside the lines."""

from __future__ import annotations

from penstock_spec.findings import Finding, LintResult, Severity
from penstock_spec.report.place import has_line, location
from penstock_spec.report.safe import safe
from penstock_spec.report.text import summary

COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(result: LintResult) -> str:
    """The annotations, then the summary for readers of the log."""
    return "\n".join([*(_annotation(one) for one in result.findings), summary(result)]) + "\n"


def _annotation(one: Finding) -> str:
    at = one.at
    properties = {"file": at.file}
    if has_line(at):
        properties |= {"line": str(at.line), "endLine": str(at.end_line)}
        if at.line == at.end_line:  # GitHub refuses columns when an annotation spans lines
            properties |= {"col": str(at.column), "endColumn": str(at.end_column)}
    properties["title"] = one.rule
    # The log shows the message alone, without file and title.
    message = [f"{location(at)}: {one.title}", safe(one.says)]
    if one.hint:
        message.append(f"hint: {safe(one.hint)}")
    if one.environments:
        message.append(f"in: {', '.join(one.environments)}")
    parameters = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{COMMAND[one.severity]} {parameters}::{_data(chr(10).join(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
