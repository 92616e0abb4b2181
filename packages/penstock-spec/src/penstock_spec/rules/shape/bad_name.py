"""A name is not a DNS label.

Names of pipelines, teams and environments become names and labels in Kubernetes, and keys of Helm values and of
alerts. All of these take lower-case letters, digits and hyphens, with a letter or a digit at both ends.

Write it as the hint says. The name of a pipeline is also the default of its stream and its group: if the stream
exists already under another name, say that in `stream.key` and `stream.group`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
