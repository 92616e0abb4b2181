"""An expectation has traffic for longer than is simulated.

`penstock test` simulates each second. A day takes about a second; what takes minutes is run by nobody. At most 31 days
are taken.

Let the traffic last for a shorter time: what happens on the second day happened on the first.
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
    for index, one in enumerate(subject.spec.expect):
        if one.traffic.lasts > LONGEST:
            message = f"{one.traffic.lasts} are longer than can be simulated"
            yield subject.problem(f"expect[{index}].traffic.lasts", message, f"write at most `{LONGEST}`")
