"""A failure class matches something that is not a failure.

A match is the name of an exception type, with or without its module (`TimeoutError`, `httpx.ReadTimeout`), or an HTTP
status as text (`"503"`, or `"5xx"` for all of 500 to 599). Anything else never matches, and the intended failures are
retried like all others.

Write the name of the exception or the status.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.failures.matching import is_exception, is_status, suggest_match
from penstock_spec.failures.of_spec import classes_of
from penstock_spec.findings import Severity
from penstock_spec.model import Section
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Section]) -> Iterator[Problem]:
    where, classes = classes_of(subject.spec)
    for name, failure_class in classes.items():
        for index, match in enumerate(failure_class.match):
            if not is_status(match) and not is_exception(match):
                message = f"`{printable(match)}` is neither an exception nor an HTTP status"
                yield subject.problem(f"{where}.{name}.match[{index}]", message, _hint(match))


def _hint(match: str) -> str:
    better = suggest_match(match)
    if better:
        return f'write `"{better}"`' if is_status(better) else f"write `{better}`"
    return 'write a name such as `TimeoutError`, or a status such as `"503"` or `"5xx"`'
