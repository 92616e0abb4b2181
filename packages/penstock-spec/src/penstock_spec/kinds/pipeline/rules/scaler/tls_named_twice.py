"""TLS is named in the trigger and in its authentication.

KEDA refuses a trigger with `enableTLS` whose TriggerAuthentication has the parameter `tls`: the scaler does not
start, and the pods stay as they are.

Name it once. Penstock writes `enableTLS` from `redis.tls`, unless `redis.auth.names_tls` says that the authentication
has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective, put_into
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found, dotted
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    scaler, auth = effective(subject), subject.platform.redis.auth
    both = next((one for one in scaler.triggers if one.metadata.get("enableTLS") and one.authentication), None)
    if both is None or auth is None:
        return
    if auth.names_tls and both.authentication == auth.trigger_authentication:
        line = subject.platform_line("redis.auth.names_tls")
        message = (
            f"`{shown(both.authentication)}` names TLS already (redis.auth.names_tls, {line}), and KEDA refuses both"
        )
        yield scaler.problem(message, "take `enableTLS` out", both.at("enableTLS"))
        return
    for path, value in put_into(subject.spec.patches, "TriggerAuthentication", "spec", "secretTargetRef"):
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and one.get("parameter") == "tls":
                message = f"{both.called} has `enableTLS` already, and KEDA refuses both"
                yield subject.problem(dotted(path), message, "take the parameter `tls` out")
                return
