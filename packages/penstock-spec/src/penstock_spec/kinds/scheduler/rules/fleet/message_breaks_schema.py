"""A job's message does not match the pipeline's schema.

A message sent to a pipeline is checked against `message.schema` in the pipeline's spec. A message that does not match
is refused, so the job fails each time it runs.

Correct the message or the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.message_validator import MessageValidator
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule

ANY_CORRELATION = "0" * 26
"""Stands for the correlation that the sender creates."""


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    pipelines = {pipeline.values["name"]: pipeline for pipeline in fleet.of("pipeline")}
    for member in fleet.of("scheduler"):
        for path, body in member.values.items():
            if not path.endswith(".send.message"):
                continue
            target = pipelines.get(member.values[path.removesuffix("message") + "pipeline"])
            error = _first_error(target, body) if target else ""
            if target and error:
                message = f"{error}, by the schema in {target.line('message.schema')}"
                yield member.problem(
                    path, message, f"write a message that matches the schema of `{target.values['name']}`"
                )


def _first_error(target: SpecFacts, body: dict[str, Any]) -> str:
    """The first violation of the schema, or an empty text."""
    schema = target.values.get("message.schema")
    if schema is None:
        return ""
    correlate = target.values["message.correlate"]
    created = {correlate: ANY_CORRELATION} if correlate and target.values["message.make_correlation"] else {}
    return MessageValidator(schema).first_error({**created, **body})
