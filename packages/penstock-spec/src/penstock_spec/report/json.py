"""Report findings for programs as one JSON object.

- `version`: of this format. It grows with changes that can break readers, not with new keys.
- `findings`: in the order of files and lines, each with:
  - `rule`, `severity` (`error`, `warning` or `info`), `title`, `says`, `hint`;
  - `file`: relative to the folder of the platform file, with `/`;
  - `line`, `column`: from 1, columns in characters; `end_line`, `end_column`: exclusive.
    All four are 0 for a file as a whole;
  - `path`: the field, such as `scaling.replicas.max`, or empty;
  - `environments`: those with the finding; empty if all have it;
  - `page`: the docs page of the rule.
- `counts`: the number of checked specs, and of findings of each severity.
"""

from __future__ import annotations

import json
from typing import Any

from penstock_spec.findings import Finding, LintResult, Severity
from penstock_spec.report.place import has_line, page
from penstock_spec.report.safe import safe

VERSION = 1


def render(result: LintResult) -> str:
    """The report in ASCII, so that no terminal, pipe or log damages it."""
    counts = {severity.value: result.count(severity) for severity in Severity}
    data = {
        "version": VERSION,
        "findings": [_finding(one) for one in result.findings],
        "counts": {"specs": result.specs, **counts},
    }
    return json.dumps(data, indent=2) + "\n"


def _finding(one: Finding) -> dict[str, Any]:
    line, column, end_line, end_column = one.at[1:] if has_line(one.at) else (0, 0, 0, 0)
    return {
        "rule": one.rule,
        "severity": one.severity.value,
        "title": one.title,
        "file": one.at.file,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "path": safe(one.path),
        "says": safe(one.says),
        "hint": safe(one.hint),
        "environments": list(one.environments),
        "page": page(one.rule),
    }
