"""Trimming is configured, but the stream keeps no history.

`janitor.trim` says how often finished entries are deleted if `stream.retention.keep` is a length or an age. With
`until-done` each message is deleted when it is done, so there is nothing to trim.

Remove `janitor.trim`, or keep history.
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
    for path in ("janitor.trim.every", "janitor.trim"):
        if not has_no_effect(subject, path, lambda spec: spec.stream.retention.keep == "until-done"):
            continue
        at = subject.line("stream.retention.keep")
        message = f"`stream.retention.keep` is `until-done` ({at}), which leaves nothing to trim"
        yield subject.problem(path, message, "remove `janitor.trim`")
        return
