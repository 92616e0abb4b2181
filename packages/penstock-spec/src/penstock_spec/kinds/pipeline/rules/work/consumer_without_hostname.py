"""The consumer name does not contain the pod's name.

Penstock adds a random part to the name, so two pods never share a consumer. But in `XINFO CONSUMERS`, logs and dead
letters the consumers differ only by random letters, so you cannot see which pod holds a message.

Put `{hostname}` into the name; in a pod it is the pod's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    consumer = subject.spec.stream.consumer
    if "{hostname}" not in consumer:
        message = f"all pods are named `{printable(consumer)}` with random letters"
        yield subject.problem("stream.consumer", message, f'write `"{printable(consumer)}-{{hostname}}"`')
