"""A trigger contains a password in plain text.

Everyone who may read manifests can read a ScaledObject, and it is committed with the spec.

Name a Kubernetes secret under `redis.auth` in the platform file. The generated TriggerAuthentication refers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable

SECRET = re.compile(r"(password|token|apikey|secret)$", re.IGNORECASE)


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    hint = "remove it, change the password, and name a Kubernetes secret under `redis.auth` in the platform file"
    for trigger in scaler.triggers:
        for key, value in trigger.metadata.items():
            if SECRET.search(key) and value not in ("", None):
                message = f"`{printable(key)}` of {trigger.label} is in plain text"
                yield scaler.problem(message, hint, trigger.at(key))
            elif isinstance(value, str) and "@" in value and key not in ("stream", "consumerGroup", "listName"):
                message = f"`{printable(key)}` of {trigger.label} contains a user or password"
                yield scaler.problem(message, hint, trigger.at(key))
