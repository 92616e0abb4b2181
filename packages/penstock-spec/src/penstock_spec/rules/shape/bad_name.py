"""A name is not a DNS label.

Names of pipelines, teams and environments become names and labels in Kubernetes, and keys in Helm values and alerts.
All of these accept only lower-case letters, digits and hyphens, with a letter or a digit at both ends.

Write the name that the hint suggests. The name of a pipeline is also the default for its stream and its group: if the
stream already exists under another name, set `stream.key` and `stream.group`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
