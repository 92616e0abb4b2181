"""A container image reference is not valid.

The value is not `registry/repository:tag`. Common mistakes are capital letters in the repository, which registries
refuse, and a variable such as `$VERSION`, which Penstock does not fill in: the spec contains exactly what is deployed.

Write the image as in `docker pull`, such as `registry.example/team/app:1.4.2`. To let CI set the version, let it
change this line and commit it; the diff then shows what is rolled out.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
