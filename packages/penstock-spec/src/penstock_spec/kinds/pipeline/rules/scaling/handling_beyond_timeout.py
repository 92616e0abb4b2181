"""Messages of an expectation take longer than an attempt may.

`handling` and `handling_p99` of an expectation say how long messages take. What takes longer than `work.timeout` is
stopped in a cluster, and tried again; the simulator lets it finish, and so would tell of a pipeline that is not there.

Write how long messages really take, or allow them more time with `work.timeout`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.ERROR)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """The longer of the two counts, where both are said."""
    timeout = it.spec.work.timeout
    for index, one in enumerate(it.spec.expect):
        if one.environments and it.environment not in one.environments:
            continue
        field, longest = ("handling_p99", one.handling_p99) if one.handling_p99 else ("handling", one.handling)
        if longest > timeout:
            says = f"an attempt is stopped after {timeout} (`work.timeout`, {it.line('work.timeout')})"
            yield it.problem(f"expect[{index}].{field}", says, f"write at most `{timeout}`, or raise `work.timeout`")
