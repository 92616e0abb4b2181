"""Lint one spec in one or two environments, and follow a hint."""

import re
from collections.abc import Callable

import pytest

from penstock_spec.examples import PLATFORM, SPEC, TODAY
from penstock_spec.findings import Finding, Span
from penstock_spec.linting.check import check_platform, check_spec
from penstock_spec.linting.lint import check_across_specs, merge_findings
from penstock_spec.reading import Place, read

OF_KEYS = ("unknown-field", "unknown-override", "unknown-environment")
"""Rules whose findings are about keys; the others are about values."""

LITERAL = re.compile(r"(?:write|such as|write it like|in quotes:) `([^`]+)`")
UNDER = re.compile(r"write `(\w+)` under `([\w.]+)`")


@pytest.fixture
def lint() -> Callable[[str], list[Finding]]:
    """Returns the findings in the text of a spec."""
    platform = check_platform(read("penstock.yaml", PLATFORM.encode()))
    assert platform.model
    environments = tuple(platform.model.environments)

    def lint(text: str) -> list[Finding]:
        document = read(SPEC, text.encode())
        checked = check_spec(document, platform, environments, lambda _: None)
        files = {SPEC: checked, "penstock.yaml": platform.checked.copy()}
        for environment, problem in check_across_specs(platform, environments, [checked], complete=False):
            files[problem.at.file].problems.append((environment, problem))
        return merge_findings(files, environments, TODAY, complete=True)

    return lint


@pytest.fixture
def follow() -> Callable[[str, Finding], str]:
    return followed


def followed(text: str, finding: Finding) -> str:
    """The text after the hint was followed literally."""
    if under := UNDER.search(finding.hint):
        return moved(text, finding.at, *under.groups())
    literal = LITERAL.search(finding.hint)
    assert literal, f"there is nothing to write in: {finding.hint}"
    places = read(SPEC, text.encode()).places.values()
    place = next((one for one in places if finding.at == one.key), None)
    if finding.hint.startswith("add it"):
        return added(text, finding.at, literal[1])
    if place and finding.rule not in OF_KEYS:  # an empty value is shown by its key
        return text.replace(f"{cut(text, finding.at)}:", f"{cut(text, finding.at)}: {literal[1]}", 1)
    return put(text, key_and_value(place) if place and ": " in literal[1] else finding.at, literal[1])


def added(text: str, at: Span, literal: str) -> str:
    """Add the literal: to the section whose key is marked, before a path, or at the end of the file."""
    if "." in literal.partition(":")[0]:
        return put(text, at, f"{literal}, {cut(text, at)}")
    lines = text.split("\n")
    line = lines[at.line - 1]
    start = at.column - 1 if cut(text, at).startswith("{") else at.end_column - 1
    if "{" not in line[start:] or cut(text, at) == "name":
        return f"{text}{literal}\n"
    inside = line.index("{", start) + 1
    lines[at.line - 1] = f"{line[:inside]}{literal}, {line[inside:]}"
    return "\n".join(lines)


def moved(text: str, at: Span, key: str, section: str) -> str:
    """Move a key from its own line into a section."""
    lines = text.split("\n")
    _, _, value = lines.pop(at.line - 1).partition(": ")
    top, *inner = section.split(".")
    for step in reversed([*inner, key]):
        value = f"{{{step}: {value}}}"
    return "\n".join([f"{top}: {value}", *lines])


def key_and_value(place: Place) -> Span:
    """The span of a key and its value."""
    name, value = place.name, place.value
    return Span(name.file, name.line, name.column, value.end_line, value.end_column)


def cut(text: str, at: Span) -> str:
    return text.split("\n")[at.line - 1][at.column - 1 : at.end_column - 1]


def put(text: str, at: Span, literal: str) -> str:
    lines = text.split("\n")
    before, after = lines[at.line - 1][: at.column - 1], lines[at.end_line - 1][at.end_column - 1 :]
    return "\n".join([*lines[: at.line - 1], f"{before}{literal}{after}", *lines[at.end_line :]])
