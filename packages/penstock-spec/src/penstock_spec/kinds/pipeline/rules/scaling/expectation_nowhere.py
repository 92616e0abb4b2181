"""An expectation is meant for an environment that is not there.

`environments` of an expectation names those in which it must hold. A name that the platform file does not have is
never simulated: the expectation looks like a test and proves nothing there.

Write a name that the platform file has, or take the list out: the expectation then holds in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    known = tuple(subject.platform_document.data["environments"])
    for index, one in enumerate(subject.spec.expect):
        for place, name in enumerate(one.environments):
            if name not in known:
                close = nearest(name, known)
                hint = f"did you mean `{close}`?" if close else "write " + " or ".join(f"`{each}`" for each in known)
                message = f"the platform file has no environment `{name}`"
                yield subject.problem(f"expect[{index}].environments[{place}]", message, hint)
