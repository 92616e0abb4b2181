"""A password stands in a trigger.

What is written into a ScaledObject is read by everyone who may read manifests, and it is committed with the spec.

Name a Kubernetes secret under `redis.auth` of the platform file. The generated TriggerAuthentication refers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown

SECRET = re.compile(r"(password|token|apikey|secret)$", re.IGNORECASE)


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    scaler = effective(subject)
    hint = "take it out, change it, and name a Kubernetes secret under `redis.auth` of the platform file"
    for one in scaler.triggers:
        for key, value in one.metadata.items():
            if SECRET.search(key) and value not in ("", None):
                message = f"`{shown(key)}` of {one.called} is written in plain text"
                yield scaler.problem(message, hint, one.at(key))
            elif isinstance(value, str) and "@" in value and key not in ("stream", "consumerGroup", "listName"):
                message = f"a user or password stands in `{shown(key)}` of {one.called}"
                yield scaler.problem(message, hint, one.at(key))
