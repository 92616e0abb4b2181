"""There is no fallback for errors of Redis.

Without a fallback the number of pods does not change while Redis answers the scaler with errors, for example after a
password change or for a key of the wrong type. A pipeline at zero stays at zero.

Remove the setting or the patch to get the default, `{replicas: max(1, <scaling.replicas.min>)}`: after three
consecutive failed polls, KEDA runs the minimum number of pods, but at least one. The number is low because KEDA cannot
see during the error how much work there is, and it is not 0 because 0 would stop all pods in the middle of their work.
If the formula contains `??` (with `scaling.boost`, or if the stream keeps history), the fallback has another effect: a
failing trigger counts as 0, and the other triggers still scale the pipeline.

To run more pods during an error, set `scaling.fallback.replicas`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.get("spec", "fallback") is None:
        message = "while Redis answers with errors, the number of pods does not change, even at zero"
        if "??" in scaler.formula:
            message = "one failing trigger freezes the number of pods: `??` in the formula works only with a fallback"
        default = max(1, subject.spec.scaling.replicas.min)
        hint = f"remove it to get the default, `{{replicas: {default}}}`"
        if scaler.result.author(("spec", "fallback")):
            hint = "remove the patch"
        yield scaler.problem(message, hint, ("spec", "fallback"))
