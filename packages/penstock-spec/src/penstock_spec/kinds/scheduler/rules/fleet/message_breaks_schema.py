"""A job sends what the pipeline does not take.

What is sent to a pipeline is checked against `message.schema` of its spec. A message that is not as that says is
refused when it is sent, so that the job fails each time it runs.

Put right what the finding points at, or the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs as compiled

from penstock_spec.findings import Severity
from penstock_spec.reading import Found
from penstock_spec.rules.define import fleet_rule
from penstock_spec.subject import Fleet, Shown
from penstock_spec.values.words import shown

MADE = "0" * 26
"""In the place of what the sender makes where a message has no field to be correlated by."""


@fleet_rule(Severity.ERROR)
def rule(it: Fleet) -> Iterator[Found]:
    """As it would be when it is sent."""
    pipelines = {one.values["name"]: one for one in it.of("pipeline")}
    for member in it.of("scheduler"):
        for path, message in member.values.items():
            if not path.endswith(".send.message"):
                continue
            target = pipelines.get(member.values[path.removesuffix("message") + "pipeline"])
            wrong = _wrong(target, message) if target else ""
            if target and wrong:
                says = f"{shown(wrong, 200)}, as {target.line('message.schema')} has it"
                yield member.problem(path, says, f"write the message as `{target.values['name']}` takes it")


def _wrong(target: Shown, message: dict[str, Any]) -> str:
    """The first thing that the schema has against it."""
    schema = target.values.get("message.schema")
    if schema is None:
        return ""
    correlate = target.values["message.correlate"]
    made = {correlate: MADE} if correlate and target.values["message.make_correlation"] else {}
    checked = compiled.validator_for(_as_sent(schema), validate_formats=False)
    error = next(iter(checked.iter_errors(_as_sent({**made, **message}))), None)
    if error is None:
        return ""
    at = "".join(f"/{step}" for step in error.instance_path)
    return f"{error.message} (at `{at}`)" if at else str(error.message)


def _as_sent(value: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Numbers as JSON has them: those of a file remember how they were written."""
    return json.loads(json.dumps(value))
