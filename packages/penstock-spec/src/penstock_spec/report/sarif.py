"""Report findings as SARIF 2.1.0 for code scanning, with pages of rules and fingerprints that survive moved lines."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from penstock_spec.catalogue import catalogue
from penstock_spec.findings import Finding, LintResult, Severity
from penstock_spec.report.place import has_line, page
from penstock_spec.report.safe import safe

LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"


def render(result: LintResult) -> str:
    """The report of one run. It describes only rules with findings."""
    rules = sorted({one.rule for one in result.findings})
    seen: Counter[str] = Counter()
    run = {
        "tool": {
            "driver": {
                "name": "penstock",
                "semanticVersion": version("penstock-spec"),
                "rules": [_rule(one) for one in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder of the platform file."}}},
        "results": [_result(one, rules.index(one.rule), result, seen) for one in result.findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(name: str) -> dict[str, Any]:
    rule = catalogue()[name]
    body = rule.page.partition("\n")[2].strip() or f"{rule.title}."
    return {
        "id": name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": body},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": LEVEL[rule.severity]},
        "properties": {"page": page(name)},  # `helpUri` would have to be absolute
    }


def _result(one: Finding, index: int, result: LintResult, seen: Counter[str]) -> dict[str, Any]:
    place: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(one.at.file)}}
    if has_line(one.at):
        _, line, column, end_line, end_column = one.at
        region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
        place["physicalLocation"]["region"] = region
    if one.path:
        place["logicalLocations"] = [{"fullyQualifiedName": safe(one.path)}]
    identity = _identity(one, result.lines.get(one.at.file, ()))
    seen[identity] += 1
    hint = f"\nhint: {safe(one.hint)}" if one.hint else ""
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": LEVEL[one.severity],
        "message": {"text": safe(one.says) + hint},
        "locations": [place],
        "partialFingerprints": {"place/v1": f"{identity}:{seen[identity]}"},
        "properties": {"environments": list(one.environments)},
    }


def _artifact(file: str) -> dict[str, str]:
    if file.startswith("/"):
        return {"uri": f"file://{quote(file)}"}
    return {"uri": quote(file), "uriBaseId": ROOT}


def _identity(one: Finding, lines: tuple[str, ...]) -> str:
    """A hash of the field, or of the line's text if there is no field: changes above do not change it."""
    line = lines[one.at.line - 1].strip() if 1 <= one.at.line <= len(lines) else ""
    key = "\0".join((one.rule, one.at.file, one.path or line))
    return hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()[:32]
