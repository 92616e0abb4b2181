"""A GitHub runner can read the annotations."""

import re
from collections.abc import Callable

import pytest

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

MakeFinding = Callable[..., Finding]
MakeResult = Callable[..., LintResult]

SAYS = "work.timeout is 60s (line 2)\nhint: set `shutdown.grace` to at least `1m10s`\nin: dev, production"
COMMAND = re.compile(r"::(?P<name>[a-z]+) (?P<properties>[^:]*)::(?P<data>.*)")


def read(line: str) -> tuple[str, dict[str, str], str]:
    """Parses a command as the runner does."""
    match = COMMAND.fullmatch(line)
    assert match
    properties = dict(one.split("=", 1) for one in match["properties"].split(","))
    for name, text in properties.items():
        properties[name] = text.replace("%3A", ":").replace("%2C", ",").replace("%0D", "\r").replace("%0A", "\n")
        properties[name] = properties[name].replace("%25", "%")
    data = match["data"].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    return match["name"], properties, data


def test_an_annotation_has_its_place_and_all_texts(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """The log shows only the message, so the message has the place too."""
    line, summary = report.render("github", make_result(make_finding(environments=("dev", "production")))).splitlines()
    assert read(line) == (
        "error",
        {
            "file": "specs/media.yaml",
            "line": "3",
            "endLine": "3",
            "col": "19",
            "endColumn": "22",
            "title": "grace-shorter-than-timeout",
        },
        "specs/media.yaml:3:19: The grace period is shorter than the timeout plus the margin\n" + SAYS,
    )
    assert summary == "1 error in 1 spec"


@pytest.mark.parametrize(
    "file", ["a,b.yaml", "a:b.yaml", "100%.yaml", "%2C%0A.yaml", "a=b.yaml", "a::b.yaml", "é 漢.yaml"]
)
def test_any_file_name_survives(file: str, make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Percent signs, colons, commas and line breaks in properties are escaped."""
    line, _ = report.render("github", make_result(make_finding(Span(file, 1, 1, 1, 2)))).splitlines()
    name, properties, data = read(line)
    assert (name, properties["file"]) == ("error", file)
    assert data.startswith(f"{file}:1:1: ")


@pytest.mark.parametrize("says", ["100 % sure", "%0A", "a: b, c", "::warning::no", "##[command]no"])
def test_any_message_survives(says: str, make_result: MakeResult, make_finding: MakeFinding) -> None:
    """It cannot start another workflow command."""
    line, _ = report.render("github", make_result(make_finding(says=says))).splitlines()
    assert read(line)[2].splitlines()[1] == says


def test_a_place_over_several_lines_has_no_columns(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """GitHub accepts columns only within one line."""
    line, _ = report.render("github", make_result(make_finding(Span("a.yaml", 1, 5, 3, 2)))).splitlines()
    assert read(line)[1].items() >= {"line": "1", "endLine": "3"}.items()
    assert not {"col", "endColumn"} & set(read(line)[1])


@pytest.mark.parametrize(("rule", "command"), [("yaml-tag", "error"), ("suppression-unused", "warning")])
def test_severities_have_their_commands(
    rule: str, command: str, make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """GitHub colours annotations by command."""
    line, _ = report.render("github", make_result(make_finding(rule=rule))).splitlines()
    assert read(line)[0] == command
