"""An expectation lasts longer than can be simulated.

`penstock test` simulates every second. A day takes about a second of real time, and the limit is 31 days, so that
tests stay fast.

Shorten the traffic: the second day shows nothing that the first did not.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.expect import LONGEST
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    for index, expectation in enumerate(subject.spec.expect):
        if expectation.traffic.lasts > LONGEST:
            message = f"{expectation.traffic.lasts} is longer than can be simulated"
            yield subject.problem(f"expect[{index}].traffic.lasts", message, f"set it to at most `{LONGEST}`")
