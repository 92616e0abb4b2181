"""Redis is too old to report a group's lag.

Redis reports the lag of a group since 7.0. KEDA asks for the version and refuses the trigger on anything older.
(Valkey reports 7.2.4 and is accepted.)

Keep messages `until-done`, which scales by the stream's length on every version of Redis, or use a newer Redis.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Version


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler, version = effective(subject), subject.platform.versions.redis
    for trigger in scaler.triggers if version < Version("7.0") else ():
        if trigger.mode == "lag":
            line = subject.platform_line("versions.redis")
            message = f"{trigger.label} reads the group's lag, which needs Redis 7.0; this is {version} ({line})"
            hint = "keep `until-done`, which needs no lag, or use a newer Redis"
            yield scaler.problem(message, hint, trigger.at("lagCount"), trigger.place)
