"""A job has a name that it cannot have.

A job's name is a member of sets in Redis, stands in logs, and is typed by people: `penstock scheduler why NAME`. So
it has 1 to 200 characters, and no spaces. `*` stands for all jobs.

Write it with `/`, `-` or `.` between its parts, such as `aws/eu-west-1/images`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
