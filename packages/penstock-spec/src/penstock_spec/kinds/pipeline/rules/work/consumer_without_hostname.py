"""A consumer's name does not say which pod it is.

A random incarnation follows the name, so two pods never share a consumer. But in `XINFO CONSUMERS`, in logs and in
dead letters they differ by random letters alone, and nobody can tell which pod holds a message.

Put `{hostname}` into the name; in a pod it is the pod's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.WARNING)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    consumer = subject.spec.stream.consumer
    if "{hostname}" not in consumer:
        message = f"all pods are `{shown(consumer)}` with random letters"
        yield subject.problem("stream.consumer", message, f'write `"{shown(consumer)}-{{hostname}}"`')
