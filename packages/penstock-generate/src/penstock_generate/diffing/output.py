"""A report as text, Markdown or JSON. Changes that several environments share appear once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from penstock_generate.diffing.describe import Change
from penstock_generate.diffing.report import FolderChanges, Report
from penstock_generate.rendering.artifact import ENVIRONMENT_FOLDER
from penstock_spec.findings import Finding
from penstock_spec.linting.changes import ChangeFindings
from penstock_spec.report.safe import safe

WIDTH = 12


class ChangeGroup(NamedTuple):
    """One change, and the environments that have it."""

    name: str
    environments: tuple[str, ...]
    changes: tuple[Change, ...]
    also: tuple[str, ...]
    restarts: bool

    @property
    def title(self) -> str:
        """`agent-queue (dev, production)`."""
        name = "the environment" if self.name == ENVIRONMENT_FOLDER else self.name
        return f"{name} ({', '.join(self.environments)})" if self.environments else name

    @property
    def rollout(self) -> str:
        """The effect on running pods."""
        return "pods restart" if self.restarts else "no pod restarts"


def text(report: Report, findings: ChangeFindings, paint: Callable[[str, str], str]) -> Iterator[str]:
    """For a terminal."""
    for finding, description in _dangers(findings):
        yield paint("danger", "error") + f"  {finding.at}: {safe(finding.says)} ({description})"
    for group in grouped(report):
        yield paint(safe(group.title), "bold")
        rows = [*group.changes, Change("files", f"{', '.join(group.also)} changed")] if group.also else [*group.changes]
        last = ""
        for section, description in [*rows, Change("rollout", group.rollout)]:
            yield f"  {section if section != last else '':{WIDTH}} {safe(description)}"
            last = section
    yield _summary(report)


def markdown(report: Report, findings: ChangeFindings) -> Iterator[str]:
    """For a pull request."""
    for finding, description in _dangers(findings):
        yield f"> **Danger**: `{finding.at}`: {_md(finding.says)} ({description})\n"
    for group in grouped(report):
        yield f"### {_md(group.title)}\n"
        for section, description in (*group.changes, Change("rollout", group.rollout)):
            yield f"- **{section}**: {_md(description)}"
        if group.also:
            yield f"- **files**: {', '.join(f'`{name}`' for name in group.also)} changed"
        yield ""
    yield _summary(report)


def as_json(report: Report, findings: ChangeFindings) -> str:
    """For programs."""
    content = {
        "changes": [
            {
                "name": one.name,
                "environments": one.environments,
                "changes": [{"section": section, "says": description} for section, description in one.changes],
                "files": one.also,
                "restarts": one.restarts,
            }
            for one in grouped(report)
        ],
        "dangers": [
            {"rule": one.rule, "at": str(one.at), "says": one.says, "acknowledged": one in findings.acknowledged}
            for one, _ in _dangers(findings)
        ],
        "unchanged": report.unchanged,
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def grouped(report: Report) -> list[ChangeGroup]:
    """Sorted by name; folders of all environments come last."""
    groups_by_content: dict[tuple[object, ...], list[FolderChanges]] = {}
    for one in report.differs:
        groups_by_content.setdefault((one.name, one.content), []).append(one)
    groups = [
        ChangeGroup(same[0].name, tuple(one.environment for one in same if one.environment), *same[0].content)
        for same in groups_by_content.values()
    ]
    return sorted(groups, key=lambda one: (not one.environments, one.name == ENVIRONMENT_FOLDER, one.name))


def _dangers(findings: ChangeFindings) -> Iterator[tuple[Finding, str]]:
    yield from ((one, "not acknowledged") for one in findings.dangerous)
    yield from ((one, "acknowledged") for one in findings.acknowledged)


def _summary(report: Report) -> str:
    changed = len(report.differs)
    count = changed or report.unchanged
    folders = f"{count} folder{'' if count == 1 else 's'}"
    return f"{folders} changed, {report.unchanged} unchanged" if changed else f"no changes ({folders} compared)"


def _md(description: str) -> str:
    """Escape Markdown and HTML."""
    return "".join(f"\\{one}" if one in "\\`*_[]<>#|!{}" else one for one in safe(description))
