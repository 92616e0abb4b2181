"""An environment is removed with all its pipelines.

Everything generated for it is deleted: workers, scalers, the janitor, alerts. Messages in its Redis stay there, and
nothing processes them. Renaming an environment removes it too, and adds a new one.

Stop the producers and let the pipelines drain (`penstock status`) before you remove the environment. Then acknowledge
the change in the platform file: under `acknowledge`, write `change: remove-environment`, the environment's name, a
reason and an end date.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported_change

RULE = reported_change(__name__, Severity.ERROR, "remove-environment")
