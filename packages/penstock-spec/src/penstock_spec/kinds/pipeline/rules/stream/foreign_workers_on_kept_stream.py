"""Foreign workers are announced where they make no difference.

`stream.foreign_workers: true` tells the janitor that an entry which was delivered, and is pending nowhere, was
finished by a worker of another make. Only streams that keep `until-done` have that question: where history is kept,
finished entries stay in the stream anyway, and the janitor brings none of them back.

Take it out. Foreign workers may share the group of a kept stream without being announced.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import in_vain
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    stream = subject.spec.stream
    if stream.foreign_workers and in_vain(subject, "stream.foreign_workers", _keeps_history):
        at = subject.line("stream.retention.keep")
        message = f"the stream keeps history ({at}), where finished messages are never brought back"
        yield subject.problem("stream.foreign_workers", message, "take it out; it counts only for `until-done`")


def _keeps_history(spec: Pipeline) -> bool:
    return spec.stream.retention.keep != "until-done"
