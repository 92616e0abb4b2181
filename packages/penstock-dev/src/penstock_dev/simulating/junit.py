"""Tests of the scaling as a JUnit report: a suite for each spec in an environment, a test case for each expectation.

Nothing in it hangs on the machine or the day: the same specs give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from penstock_dev.simulating.verdict import CheckedExpectation, words
from penstock_spec.report.safe import safe


def render(tested: Sequence[CheckedExpectation]) -> str:
    """In ASCII; what XML cannot hold is made safe before."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_counts(tested)}>"]
    for (spec, environment), group in groupby(tested, lambda one: (one.spec, one.environment)):
        cases = list(group)
        name = escape(safe(f"{spec} ({environment})"))
        lines.append(f'  <testsuite name="{name}" {_counts(cases)}>')
        for one in cases:
            lines += _case(one)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode() + "\n"


def _counts(tested: Sequence[CheckedExpectation]) -> str:
    return f'tests="{len(tested)}" failures="{sum(bool(one.broken) for one in tested)}" errors="0" skipped="0"'


def _case(one: CheckedExpectation) -> Iterator[str]:
    name, file = escape(safe(one.expectation)), escape(safe(one.at.file))
    classname = escape(safe(f"{one.environment}.{one.spec}"))
    yield f'    <testcase classname="{classname}" name="{name}" file="{file}" line="{one.at.line}">'
    if one.broken:
        first = one.broken[0]
        message = escape(f"{first.wanted}: {first.measured}")
        told = escape("\n".join(words(each) for each in one.broken), quote=False)
        yield f'      <failure type="{first.condition}" message="{message}">{told}</failure>'
    held = [each for each in one.verdicts if each.broken_at is None]
    if held:
        yield f"      <system-out>{escape(chr(10).join(words(each) for each in held), quote=False)}</system-out>"
    yield "    </testcase>"
