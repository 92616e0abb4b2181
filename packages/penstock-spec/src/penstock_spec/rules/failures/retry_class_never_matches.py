"""A failure class is shadowed by an earlier class.

The first class that matches a failure applies. A class has no effect if earlier classes cover all its matches: `5xx`
covers `503`, `OSError` covers its subclass `ConnectionError`, `Exception` covers everything, and a name without a
module covers the exceptions of that name in every module.

Put the narrower class before the wider one, or remove it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.failures.matching import covers
from penstock_spec.failures.of_spec import classes_of
from penstock_spec.findings import Severity
from penstock_spec.model import Section
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Section]) -> Iterator[Problem]:
    earlier: list[tuple[str, str]] = []
    where, classes = classes_of(subject.spec)
    for name, failure_class in classes.items():
        covering = [next((pair for pair in earlier if covers(pair[0], match)), None) for match in failure_class.match]
        first = covering[0] if covering else None
        if first and all(covering):
            path = f"{where}.{name}.match"
            earlier_class = f"`{printable(first[0])}` of `{first[1]}` ({subject.line(f'{where}.{first[1]}')})"
            message = f"`{printable(failure_class.match[0])}` is already matched by {earlier_class}"
            if len(covering) > 1:
                message += ", and so are its other matches"
            others = classes[first[1]].match
            remaining = [other for other in others if not any(covers(match, other) for match in failure_class.match)]
            hint = f"put `{name}` before `{first[1]}`, or remove `{name}`" if remaining else f"remove `{name}`"
            yield subject.problem(path, message, hint)
        earlier += [(match, name) for match in failure_class.match]
