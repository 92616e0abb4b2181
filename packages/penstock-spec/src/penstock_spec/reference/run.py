"""Run the example of a rule as `penstock lint` would, for the docs."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from penstock_spec.examples import SPEC, TODAY, Example
from penstock_spec.files import File
from penstock_spec.findings import LintResult
from penstock_spec.kinds import kinds
from penstock_spec.linting.changes import Before, check_changes
from penstock_spec.linting.check import PlatformFile, check_platform, resolve
from penstock_spec.linting.lint import lines_of, lint, load
from penstock_spec.model import Section
from penstock_spec.report import text
from penstock_spec.report.safe import safe
from penstock_spec.repository import PLATFORM_FILE, SPECS, Repository, read_inputs

GENERATED = "generated"
MOST_LINES, WIDEST = 40, 400
"""The maximum lines of an example, and characters of a line, on a page."""

ON_DISK = {
    "missing": "# there is no such file",
    "folder": "# a folder of this name",
    "fifo": "# a named pipe of this name",
}


def findings_text(rule: str, example: Example) -> str:
    """The findings of the rule in an example, as text."""
    with TemporaryDirectory() as folder:
        outcome = run(Path(folder), example)
    findings = [one for one in outcome.findings if one.rule == rule]
    return "\n".join(text.one(one, outcome.lines.get(one.at.file, ())) for one in findings)


def run(root: Path, example: Example) -> LintResult:
    """Write the repository of an example into a folder, and lint it."""
    for name, content in example.files().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    _put(example.on_disk, root / SPEC)
    specs = tuple(root / name for name in example.names())
    inputs = read_inputs(Repository(root, root / PLATFORM_FILE, specs, complete=True))
    outcome = lint(inputs, (), TODAY).outcome
    if not (example.previous() or example.gone):
        return outcome
    documents = [load(file) for file in inputs.specs]
    names = [document.data["name"] for document in documents]
    platform = check_platform(load(inputs.platform))
    changed = check_changes(platform, documents, names, _before(platform, example), TODAY).dangerous
    return LintResult((*outcome.findings, *changed), outcome.specs, lines_of(inputs, changed), outcome.files)


def _before(read: PlatformFile, example: Example) -> Before:
    """The previous specs of an example, as `generated/` would have them."""
    before: dict[str, dict[str, Section]] = {name: {} for name in read.model.environments} if read.model else {}
    text = example.previous()
    if text is not None:
        document = load(File(Path(SPEC), SPEC, text.encode()))
        for name, specs in before.items():
            specs["example"] = resolve(kinds()[document.data["kind"]], document, read, name)[0]
    for one in example.gone:
        environment, _, name = one.partition("/")
        before.setdefault(environment, {})[name] = Section()
    return before


def _put(what: str | None, path: Path) -> None:
    if what is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    if what == "folder":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    elif what == "loop":
        path.symlink_to(path)


def displayed_files(example: Example) -> dict[str, str]:
    """The files of an example as a page shows them, without the parts that tests add."""
    files = {PLATFORM_FILE: example.platform} if example.platform is not None else {}
    files |= {f"{GENERATED}/{one}/": "# exists, but has no spec" for one in example.gone}
    if example.before is not None:
        files[f"{SPEC}, as it was"] = example.before
    if example.on_disk is not None:
        files[SPEC] = ON_DISK[example.on_disk]
    elif example.file is not None:
        files[SPEC] = example.file + (f"# and so on, {example.times:,} times" if example.times > 1 else "")
    elif example.base64 is not None:
        files[SPEC] = example.files()[SPEC].decode("utf-8", "backslashreplace")
    elif example.spec is not None:
        files[SPEC] = example.spec
    files |= {f"{SPECS}/{name}": snippet for name, snippet in {**example.specs, **example.beside}.items()}
    return {name: _visible(content) for name, content in files.items()}


def _visible(content: str) -> str:
    """The text with visible escapes for characters that browsers or terminals hide."""
    lines = content.splitlines()
    cut = [*lines[:MOST_LINES], "# and so on"] if len(lines) > MOST_LINES else lines
    return "\n".join(safe(line.replace("\t", "\\t"))[:WIDEST] for line in cut)
