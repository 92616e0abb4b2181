"""Every typical mistake in any field of any spec is reported at its line, or there is a reason why not."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from penstock_spec.fields import FieldAt, fields_of
from penstock_spec.files import File
from penstock_spec.findings import Finding
from penstock_spec.kinds import kinds
from penstock_spec.linting.check import check_platform, check_spec
from penstock_spec.linting.checked import CheckedFile
from penstock_spec.linting.lint import check_across_specs, merge_findings
from penstock_spec.reading import Document, read

HERE = Path(__file__).parent
TODAY = date(2027, 1, 1)
LINE = re.compile(r"\bline ([0-9]+)")


def test_every_mistake_is_reported_at_its_line_or_has_a_reason(
    root: Path, slips: Callable[[Document], Iterator[Any]]
) -> None:
    raw = (root / "penstock.yaml").read_bytes()
    platform = check_platform(read("penstock.yaml", raw))
    assert platform.model
    environments = tuple(platform.model.environments)

    def check(path: Path, text: bytes) -> CheckedFile:
        document = read(f"specs/{path.name}", text)
        return check_spec(document, platform, environments, File(path, path.name, text).beside)

    def findings(path: Path, text: bytes) -> list[Finding]:
        document = read(f"specs/{path.name}", text)
        checked = check(path, text)
        files = {document.file: checked, "penstock.yaml": platform.checked.copy()}
        other_files = [one for name, one in others.items() if name != document.file]
        for environment, problem in check_across_specs(platform, environments, [checked, *other_files], complete=True):
            if problem.at.file in files:
                files[problem.at.file].problems.append((environment, problem))
        return merge_findings(files, environments, TODAY, complete=True)

    others = {f"specs/{path.name}": check(path, path.read_bytes()) for path in sorted((root / "specs").glob("*.yaml"))}
    reasons = read("survivors.yaml", (HERE / "survivors.yaml").read_bytes()).data
    survivors: Counter[int] = Counter()
    unexplained: list[str] = []
    count = 0
    for path in sorted((root / "specs").glob("*.yaml")):
        text = path.read_bytes()
        known = {_kind(one) for one in findings(path, text)}
        for mutant in slips(read(path.name, text)):
            count += 1
            new = [one for one in findings(path, mutant.text.encode()) if _kind(one) not in known]
            if any(_points_at(one, mutant.lines) for one in new):
                continue
            field = _field(read(path.name, text).data["kind"], mutant.path)
            index = next((n for n, one in enumerate(reasons) if _explains(one, mutant.slip, mutant.path, field)), None)
            if index is None:
                elsewhere = ", ".join(f"{one.rule} {one.at}" for one in new) or "no finding"
                unexplained.append(f"{path.name}:{min(mutant.lines)} {mutant.path}: {mutant.slip}: {elsewhere}")
            else:
                survivors[index] += 1
    print(f"{count} mutants, {count - survivors.total() - len(unexplained)} reported")  # noqa: T201 - shown with -s, and on failure
    for index, one in enumerate(reasons):
        print(f"{survivors[index]:5} {one['reason']}")  # noqa: T201 - shown by `pytest -s`
    assert not unexplained, "\n".join(unexplained)
    assert not [one for index, one in enumerate(reasons) if not survivors[index]], "these explain no survivor"


def _kind(one: Finding) -> tuple[str, str, str]:
    return (one.rule, one.path, LINE.sub("line", one.says))


def _points_at(one: Finding, lines: frozenset[int]) -> bool:
    """At the slip, or elsewhere with a text that names its line."""
    named_lines = {int(number) for number in LINE.findall(f"{one.says} {one.hint}")}
    return one.at.file != "penstock.yaml" and (one.at.line in lines or bool(named_lines & lines))


def _explains(reason: dict[str, Any], slip: str, path: str, field: FieldAt | None) -> bool:
    if not any(fnmatchcase(slip, one) for one in reason["slips"]):
        return False
    match reason.get("fields"):
        case "optional":
            return field is not None and not field.required
        case "nullable":
            return field is not None and field.info.default is None
        case _:
            return any(fnmatchcase(path, one) for one in reason["paths"])


@cache
def _field(kind: str, path: str) -> FieldAt | None:
    """The field of the model at a path, if it is one."""
    place = re.sub(r"\[[0-9]+\]", "[]", path)
    patterns = ((one, re.escape(one.path).replace(r"\*", "[^.]+")) for one in fields_of(kinds()[kind].model))
    return next((one for one, pattern in patterns if re.fullmatch(pattern, place)), None)
