"""A YAML merge key (`<<`) copies values from elsewhere.

`<<` copies the fields of another section. YAML 1.2 has no merge keys and parsers treat them differently. They also
hide where a value comes from, which Penstock reports for every value.

Write the fields out. Put values that all specs share under `defaults` in the platform file, and values that differ in
one environment under `environments` in the spec.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
