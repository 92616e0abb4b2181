"""A job sends to an unknown pipeline.

`send.pipeline` is the name of a pipeline in the same repository, whose spec says where and how to send a message.
Without that spec the job fails each time it runs.

Write the name of a spec of `kind: pipeline`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    names = [str(pipeline.values["name"]) for pipeline in fleet.of("pipeline")]
    for member in fleet.of("scheduler") if fleet.complete else ():
        for path, name in member.values.items():
            if path.endswith(".send.pipeline") and name not in names:
                close = nearest(str(name), names)
                hint = f"write `{close}`" if close else "write the name of a pipeline in this repository"
                yield member.problem(path, f"this repository has no pipeline `{name}`", hint)
