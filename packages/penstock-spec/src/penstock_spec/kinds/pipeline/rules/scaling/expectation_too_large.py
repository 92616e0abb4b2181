"""An expectation has more traffic than can be simulated.

`penstock test` simulates each second and each message. A day of a busy pipeline takes about a second; what takes
minutes is run by nobody. At most 31 days and a hundred million messages are taken, as the product of `traffic.rate` and
`traffic.lasts`.

Let the traffic last for a shorter time: what happens on the second day happened on the first.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.quantities import Duration

LONGEST = Duration("31d")
MOST = 100_000_000


@spec_rule(Severity.ERROR)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """Neither too long nor too much."""
    for index, one in enumerate(it.spec.expect):
        traffic = one.traffic
        path = f"expect[{index}].traffic.lasts"
        if traffic.lasts > LONGEST:
            says = f"{traffic.lasts} are longer than can be simulated"
            yield it.problem(path, says, f"write at most `{LONGEST}`")
        elif traffic.rate * traffic.lasts.seconds > MOST:
            says = f"{traffic.rate} messages a second for {traffic.lasts} are more than can be simulated"
            most = Duration.of(int(MOST / traffic.rate) * 1000)
            yield it.problem(path, says, f"write at most `{most}`")
