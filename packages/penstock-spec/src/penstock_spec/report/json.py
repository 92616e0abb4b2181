"""Findings for programs: one JSON object.

- `version`: of this shape. A change that could break a reader makes it one higher; new keys do not.
- `findings`: in the order of files and lines. Of each:
  - `rule`, `severity` (`error`, `warning` or `info`), `title`, `says`, `hint`;
  - `file`: relative to the folder of the platform file, with `/`;
  - `line`, `column`: from 1, columns in characters; `end_line`, `end_column`: exclusive.
    All four are 0 for a file as a whole;
  - `path`: the field, such as `scaling.replicas.max`, or empty;
  - `environments`: those it holds in, or none when it holds in all of them;
  - `page`: where the docs tell more.
- `counts`: the specs that were looked at, and the findings of each severity.
"""

from __future__ import annotations

import json
from typing import Any

from penstock_spec.findings import Finding, LintResult, Severity
from penstock_spec.report.place import has_line, page
from penstock_spec.report.safe import safe

VERSION = 1


def render(outcome: LintResult) -> str:
    """In ASCII, so that no terminal, pipe or log on the way can damage it."""
    counts = {severity.value: outcome.count(severity) for severity in Severity}
    told = {
        "version": VERSION,
        "findings": [_finding(one) for one in outcome.findings],
        "counts": {"specs": outcome.specs, **counts},
    }
    return json.dumps(told, indent=2) + "\n"


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
