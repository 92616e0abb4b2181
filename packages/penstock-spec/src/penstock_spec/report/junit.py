"""Report findings as JUnit XML: a test case for each file, which fails if the file has errors.

Most tools show one failure for each test case, so it contains all errors of the file as text. Warnings and infos are in
the output of the test case.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from penstock_spec.findings import Finding, LintResult, Severity
from penstock_spec.report import text
from penstock_spec.report.place import has_line
from penstock_spec.report.safe import safe


def render(result: LintResult) -> str:
    """The report in ASCII, without characters that XML forbids."""
    files = sorted({*result.files, *(one.at.file for one in result.findings)})
    failed = {one.at.file for one in result.findings if one.severity is Severity.ERROR}
    counts = f'tests="{len(files)}" failures="{len(failed)}" errors="0" skipped="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", f'  <testsuite name="penstock lint" {counts}>']
    for file in files:
        lines += _case(result, file)
    lines += ["  </testsuite>", "</testsuites>"]
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode() + "\n"


def _case(result: LintResult, file: str) -> Iterator[str]:
    errors = [one for one in result.findings if one.at.file == file and one.severity is Severity.ERROR]
    others = [one for one in result.findings if one.at.file == file and one.severity is not Severity.ERROR]
    where = f' line="{errors[0].at.line}"' if errors and has_line(errors[0].at) else ""
    name = escape(safe(file))
    start = f'    <testcase classname="penstock" name="{name}" file="{name}"{where}'
    if not errors and not others:
        yield f"{start}/>"
        return
    yield f"{start}>"
    if errors:
        more = f", and {len(errors) - 1} more" if errors[1:] else ""
        message = escape(f"{errors[0].title}: {safe(errors[0].says)}{more}")
        yield f'      <failure type="{errors[0].rule}" message="{message}">{_as_text(result, errors)}</failure>'
    if others:
        yield f"      <system-out>{_as_text(result, others)}</system-out>"
    yield "    </testcase>"


def _as_text(result: LintResult, findings: list[Finding]) -> str:
    return escape("\n".join(text.one(one, result.lines.get(one.at.file, ())) for one in findings), quote=False)
