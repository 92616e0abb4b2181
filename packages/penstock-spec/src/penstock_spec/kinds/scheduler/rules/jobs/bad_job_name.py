"""A job name is not valid.

Job names are members of sets in Redis, appear in logs, and are typed by people: `penstock scheduler why NAME`. So a
name has 1 to 200 characters and no spaces. `*` is reserved for all jobs.

Separate the parts of a name with `/`, `-` or `.`, such as `aws/eu-west-1/images`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
