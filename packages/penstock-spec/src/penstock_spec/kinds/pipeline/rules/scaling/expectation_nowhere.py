"""An expectation names an unknown environment.

`environments` of an expectation lists where it must hold. An environment that the platform file does not have is never
simulated, so the expectation looks like a test but is not run there.

Write the name of an environment in the platform file, or remove the list: the expectation then applies to all
environments.
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
    for index, expectation in enumerate(subject.spec.expect):
        for place, name in enumerate(expectation.environments):
            if name not in known:
                close = nearest(name, known)
                hint = f"did you mean `{close}`?" if close else "write " + " or ".join(f"`{each}`" for each in known)
                message = f"the platform file has no environment `{name}`"
                yield subject.problem(f"expect[{index}].environments[{place}]", message, hint)
