"""A job sends what the pipeline does not take.

What is sent to a pipeline is checked against `message.schema` of its spec. A message that is not as that says is
refused when it is sent, so that the job fails each time it runs.

Put right what the finding points at, or the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.message_validator import MessageValidator
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule

MADE = "0" * 26
"""In the place of what the sender makes where a message has no field to be correlated by."""


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    pipelines = {one.values["name"]: one for one in fleet.of("pipeline")}
    for member in fleet.of("scheduler"):
        for path, body in member.values.items():
            if not path.endswith(".send.message"):
                continue
            target = pipelines.get(member.values[path.removesuffix("message") + "pipeline"])
            wrong = _wrong(target, body) if target else ""
            if target and wrong:
                message = f"{wrong}, as {target.line('message.schema')} has it"
                yield member.problem(path, message, f"write the message as `{target.values['name']}` takes it")


def _wrong(target: SpecFacts, body: dict[str, Any]) -> str:
    """The first thing that the schema has against it."""
    schema = target.values.get("message.schema")
    if schema is None:
        return ""
    correlate = target.values["message.correlate"]
    made = {correlate: MADE} if correlate and target.values["message.make_correlation"] else {}
    return MessageValidator(schema).wrong({**made, **body})
