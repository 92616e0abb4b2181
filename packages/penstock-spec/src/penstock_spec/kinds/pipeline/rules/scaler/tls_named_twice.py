"""TLS is set in both the trigger and its authentication.

KEDA refuses a trigger with `enableTLS` if its TriggerAuthentication has the parameter `tls`: the scaler does not
start, and the number of pods does not change.

Set it once. Penstock writes `enableTLS` from `redis.tls`, unless `redis.auth.names_tls` says that the
TriggerAuthentication has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective, patched_values
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem, dotted
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler, auth = effective(subject), subject.platform.redis.auth
    both = next((one for one in scaler.triggers if one.metadata.get("enableTLS") and one.authentication), None)
    if both is None or auth is None:
        return
    if auth.names_tls and both.authentication == auth.trigger_authentication:
        line = subject.platform_line("redis.auth.names_tls")
        name = printable(both.authentication)
        message = f"`{name}` sets TLS already (redis.auth.names_tls, {line}); KEDA refuses both"
        yield scaler.problem(message, "remove `enableTLS`", both.at("enableTLS"))
        return
    for path, value in patched_values(subject.spec.patches, "TriggerAuthentication", "spec", "secretTargetRef"):
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and one.get("parameter") == "tls":
                message = f"{both.label} has `enableTLS` already; KEDA refuses both"
                yield subject.problem(dotted(path), message, "remove the parameter `tls`")
                return
