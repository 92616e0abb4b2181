"""Check the subjects of new commits: imperative, capitalized, at most 72 characters, without a final period.

New commits are those since the branch left `origin/main` or `main`; on that branch itself, those since the last tag.
History from before this check is never judged.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
LONGEST = 72
TRUNKS = ("origin/main", "main")
NO_VERB = re.compile(
    "a|all|an|and|any|as|at|both|but|by|each|every|first|for|from|he|here|how|if|in|it|its|no|nobody|none|not|nothing|of|on|"
    "one|only|or|our|she|some|that|the|their|there|these|they|this|those|to|we|what|when|where|which|who|whoever|with|you"
)
"""Words that cannot start an instruction."""
NO_IMPERATIVE = re.compile(r"(?:[^e]ed|ing|[^aisu]s)$")
"""Endings of past, progressive and third person; `address`, `focus` and `need` end otherwise."""
IMPERATIVE = frozenset({"bring", "embed", "ping", "shed", "string", "wed"})
"""Imperatives with such an ending."""


def complaints(subject: str) -> Iterator[str]:
    """Everything wrong with a subject."""
    if subject.startswith(('Revert "', "fixup! ", "squash! ", "amend! ")):  # written by git
        return
    if len(subject) > LONGEST:
        yield f"{len(subject)} characters, more than {LONGEST}"
    if subject.endswith("."):
        yield "ends with a period"
    if subject[:1] != subject[:1].upper():
        yield "starts with a lower-case letter"
    first = re.split(r"[^\w-]", subject, maxsplit=1)[0].lower()
    if NO_VERB.fullmatch(first) or (NO_IMPERATIVE.search(first) and first not in IMPERATIVE):
        yield f"`{first}` is not an imperative; write an instruction, such as `Refuse a drain shorter than the lease`"


def new_commits(root: Path) -> list[tuple[str, str]]:
    """Hash and subject of each commit to check."""
    head = _git(root, "rev-parse", "HEAD")
    since = next((base for trunk in TRUNKS if (base := _git(root, "merge-base", trunk, "HEAD")) != ""), "")
    if since in ("", head):
        since = _git(root, "describe", "--tags", "--abbrev=0")
    here = Path(__file__).resolve().relative_to(ROOT.resolve()).as_posix()
    began = _git(root, "log", "--follow", "--diff-filter=A", "--format=%H", "--", here).split()
    older = [f"^{one}" for one in (since, *began[-1:]) if one]
    if not began:
        return []
    lines = _git(root, "log", "--no-merges", "--format=%h %s", "HEAD", *older).splitlines()
    return [(hash_, subject) for hash_, _, subject in (line.partition(" ") for line in lines)]


def _git(root: Path, *words: str) -> str:
    """The output of git; empty if it fails, as for a branch that does not exist."""
    # The checkout of a CI machine often belongs to another user.
    command = ["git", "-c", f"safe.directory={root}", *words]
    result = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)  # noqa: S603 - git, with fixed arguments
    return result.stdout.strip()


@click.command(help=__doc__)
@click.argument("root", type=click.Path(path_type=Path), default=ROOT)
def main(root: Path) -> None:
    """Exit with 1 if a subject is wrong."""
    wrong = [(commit, subject, complaint) for commit, subject in new_commits(root) for complaint in complaints(subject)]
    for commit, subject, complaint in wrong:
        click.echo(f"{commit} {subject}\n    {complaint}", err=True)
    if wrong:
        click.echo("hint: `git rebase -i` rewords commits that are not pushed yet", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
