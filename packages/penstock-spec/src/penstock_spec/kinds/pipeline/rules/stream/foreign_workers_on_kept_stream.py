"""Foreign workers are declared on a stream that keeps messages.

With `stream.foreign_workers: true` the janitor treats an entry that was delivered and is no longer pending as finished
by a foreign worker. That matters only with `until-done`: a stream that keeps messages keeps finished entries anyway,
and the janitor never redelivers them.

Remove the field, since it has no effect here. Foreign workers may share the group of such a stream without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import has_no_effect
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    stream = subject.spec.stream
    if stream.foreign_workers and has_no_effect(subject, "stream.foreign_workers", _keeps_history):
        at = subject.line("stream.retention.keep")
        message = f"the stream keeps finished messages ({at}), so they are never redelivered"
        yield subject.problem("stream.foreign_workers", message, "remove it; it only has an effect with `until-done`")


def _keeps_history(spec: Pipeline) -> bool:
    return spec.stream.retention.keep != "until-done"
