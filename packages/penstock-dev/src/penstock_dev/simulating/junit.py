"""A JUnit report: a test suite per spec and environment, a test case per expectation.

The report depends on the specs alone: the same specs give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from penstock_dev.simulating.verdict import CheckedExpectation, describe
from penstock_spec.report.safe import safe


def render(checked: Sequence[CheckedExpectation]) -> str:
    """The report, in ASCII; characters that XML cannot hold are made visible."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_counts(checked)}>"]
    for (spec, environment), group in groupby(checked, lambda one: (one.spec, one.environment)):
        cases = list(group)
        name = escape(safe(f"{spec} ({environment})"))
        lines.append(f'  <testsuite name="{name}" {_counts(cases)}>')
        for one in cases:
            lines += _case(one)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode() + "\n"


def _counts(checked: Sequence[CheckedExpectation]) -> str:
    return f'tests="{len(checked)}" failures="{sum(bool(one.broken) for one in checked)}" errors="0" skipped="0"'


def _case(one: CheckedExpectation) -> Iterator[str]:
    name, file = escape(safe(one.expectation)), escape(safe(one.at.file))
    classname = escape(safe(f"{one.environment}.{one.spec}"))
    yield f'    <testcase classname="{classname}" name="{name}" file="{file}" line="{one.at.line}">'
    if one.broken:
        first = one.broken[0]
        message = escape(f"{first.wanted}: {first.measured}")
        text = escape("\n".join(describe(each) for each in one.broken), quote=False)
        yield f'      <failure type="{first.condition}" message="{message}">{text}</failure>'
    held = [each for each in one.verdicts if each.broken_at is None]
    if held:
        yield f"      <system-out>{escape(chr(10).join(describe(each) for each in held), quote=False)}</system-out>"
    yield "    </testcase>"
