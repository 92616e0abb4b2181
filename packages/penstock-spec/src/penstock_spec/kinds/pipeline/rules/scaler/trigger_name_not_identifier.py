"""A trigger's name cannot be used in a formula.

In a formula a hyphen is a minus: `queue-depth` means `queue` minus `depth`. Names must consist of letters, digits and
underscores and must not start with a digit.

Rename the trigger, in the formula too.
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

IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for trigger in scaler.triggers if scaler.formula else ():
        if trigger.name and not IDENTIFIER.fullmatch(trigger.name):
            tidy = re.sub(r"\W+", "_", trigger.name[:60], flags=re.ASCII).strip("_")
            better = tidy if IDENTIFIER.fullmatch(tidy) else f"trigger_{tidy}".rstrip("_")
            message = (
                f"`{printable(trigger.name)}` cannot be used in a formula: names have letters, digits and underscores"
            )
            yield scaler.problem(
                message, f"rename it to `{better}`, in the formula too", (*trigger.place, "name"), trigger.place
            )
