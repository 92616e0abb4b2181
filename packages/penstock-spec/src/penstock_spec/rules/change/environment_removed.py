"""An environment is removed, and all its pipelines with it.

Everything that was generated for it goes: workers, scalers, the janitor, alerts. What lies in its Redis stays there and
is worked on by nobody. An environment that gets another name is removed too, and a new one added.

Stop the senders and let the pipelines run empty (`penstock status`), and only then remove it. Then say so in the
platform file, under `acknowledge`, with the change `remove-environment`, its name, and the last day on which it counts.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported_change

RULE = reported_change(__name__, Severity.ERROR, "remove-environment")
