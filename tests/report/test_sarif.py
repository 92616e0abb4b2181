"""The report is valid SARIF 2.1.0, and results keep their identity when lines move."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

MakeFinding = Callable[..., Finding]
MakeResult = Callable[..., LintResult]

SCHEMA = json.loads(Path(__file__).with_name("sarif.schema.json").read_text())
FILE = "specs/media.yaml"


def run(result: LintResult) -> Any:  # noqa: ANN401 - JSON
    """The run of a log that is valid by the schema."""
    log = json.loads(report.render("sarif", result))
    jsonschema_rs.validator_for(SCHEMA, validate_formats=True).validate(log)
    (run,) = log["runs"]
    return run


def identities(result: LintResult) -> list[str]:
    return [one["partialFingerprints"]["place/v1"] for one in run(result)["results"]]


def test_a_result_has_rule_message_and_place(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Columns count characters, as the run declares."""
    sarif = run(make_result(make_finding(rule="yaml-tag"), make_finding(environments=("dev",))))
    result = sarif["results"][1]
    assert sarif["columnKind"] == "unicodeCodePoints"
    assert (
        sarif["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "grace-shorter-than-timeout"
    )
    assert result["message"]["text"].splitlines() == [
        "work.timeout is 60s (line 2)",
        "hint: set `shutdown.grace` to at least `1m10s`",
    ]
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": FILE, "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 19, "endLine": 3, "endColumn": 22},
    }
    assert place["logicalLocations"] == [{"fullyQualifiedName": "shutdown.grace"}]
    assert result["properties"] == {"environments": ["dev"]}


def test_a_rule_has_its_page(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Only rules with findings are listed, each once."""
    (rule,) = run(make_result(make_finding(), make_finding()))["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == "The grace period is shorter than the timeout plus the margin."
    assert rule["help"]["markdown"].startswith("The grace period is shorter than the timeout plus the margin.\n\n")
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_a_run_without_findings_is_reported(make_result: MakeResult) -> None:
    """Without results, so that code scanning closes its alerts."""
    assert run(make_result())["results"] == []


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("specs/a b.yaml", "specs/a%20b.yaml"),
        ("specs/é.yaml", "specs/%C3%A9.yaml"),
        ("a:b.yaml", "a%3Ab.yaml"),
        ("specs/50%#1?.yaml", "specs/50%25%231%3F.yaml"),
        ("/elsewhere/a.yaml", "file:///elsewhere/a.yaml"),
    ],
)
def test_any_file_name_becomes_a_uri(file: str, uri: str, make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Relative to the folder of the platform file, if possible."""
    (result,) = run(make_result(make_finding(Span(file, 1, 1, 1, 2))))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri
    assert ("uriBaseId" in place) is not uri.startswith("file:")


def test_a_finding_about_a_file_has_no_region(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """SARIF has no line 0."""
    (result,) = run(make_result(make_finding(Span(FILE, 0, 0, 0, 0), path="")))["results"]
    assert "region" not in result["locations"][0]["physicalLocation"]


@pytest.mark.parametrize("path", ["shutdown.grace", ""])
def test_a_result_keeps_its_identity_when_lines_move(
    path: str, make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """Also with other indentation, or another number in the message."""
    before = make_result(make_finding(Span(FILE, 1, 1, 1, 5), path=path, says="see line 7"), lines=("grace: 30s",))
    after = make_result(
        make_finding(Span(FILE, 3, 3, 3, 8), path=path, says="see line 9"), lines=("", "", "  grace: 30s")
    )
    assert identities(before) == identities(after)


def test_different_results_have_different_identities(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """By rule, file and field, and by their order if these are equal."""
    different = identities(
        make_result(
            make_finding(),
            make_finding(),
            make_finding(path="work.timeout"),
            make_finding(rule="yaml-tag"),
            make_finding(Span("specs/other.yaml", 3, 19, 3, 22)),
            make_finding(Span(FILE, 1, 1, 1, 2), path=""),
            make_finding(Span(FILE, 2, 1, 2, 2), path=""),
        )
    )
    assert len(set(different)) == len(different)
