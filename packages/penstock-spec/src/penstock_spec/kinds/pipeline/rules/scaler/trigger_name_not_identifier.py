"""A trigger's name cannot stand in a formula.

In a formula a hyphen is a minus: `queue-depth` means `queue` less `depth`. Names must be letters, digits and
underscores, and not start with a digit.

Rename the trigger, and write the new name in the formula.
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

IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    scaler = effective(subject)
    for one in scaler.triggers if scaler.formula else ():
        if one.name and not IDENTIFIER.fullmatch(one.name):
            tidy = re.sub(r"\W+", "_", one.name[:60], flags=re.ASCII).strip("_")
            better = tidy if IDENTIFIER.fullmatch(tidy) else f"trigger_{tidy}".rstrip("_")
            message = f"`{shown(one.name)}` cannot stand in a formula: a name has letters, digits and underscores"
            yield scaler.problem(message, f"name it `{better}`, in the formula too", (*one.place, "name"), one.place)
