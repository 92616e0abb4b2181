"""A class of failures is taken by the classes before it.

The first class that matches a failure counts. A class all of whose matches are taken by earlier ones has no effect:
`5xx` takes `503`, `OSError` takes `ConnectionError`, which derives from it, `Exception` takes everything, and another
name without a module takes the exceptions of that name from every module.

Put the narrower class before the wider one, or take it out.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.failures.matching import takes
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
    for name, one in classes.items():
        taken = [next((pair for pair in earlier if takes(pair[0], match)), None) for match in one.match]
        first = taken[0] if taken else None
        if first and all(taken):
            path = f"{where}.{name}.match"
            line = subject.line(f"{where}.{first[1]}")
            message = f"`{printable(one.match[0])}` is taken by `{printable(first[0])}` of `{first[1]}` ({line})"
            if len(taken) > 1:
                message += ", and its other matches are taken too"
            remain = [other for other in classes[first[1]].match if not any(takes(match, other) for match in one.match)]
            hint = f"put `{name}` before `{first[1]}`, or take `{name}` out" if remain else f"take `{name}` out"
            yield subject.problem(path, message, hint)
        earlier += [(match, name) for match in one.match]
