"""`make lint` requires that subjects of new commits are instructions of at most 72 characters."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(root: Path, tmp_path: Path) -> Git:
    """A repository on `main`: a commit that is older than the check, and the commit of the check."""

    def run(*words: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run("init", "-q", "-b", "main")
    run("commit", "-q", "--allow-empty", "-m", "An old subject; " + "x" * 100)
    (tmp_path / "tools").mkdir()
    shutil.copy(root / "tools/check_commits.py", tmp_path / "tools")
    run("add", ".")
    run("commit", "-q", "-m", "Check commit subjects")
    return run


def check(folder: Path) -> tuple[int, str]:
    """Run the copy in the repository."""
    ran = subprocess.run(
        [sys.executable, folder / "tools/check_commits.py"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return ran.returncode, ran.stderr


def commit(git: Git, subject: str) -> None:
    git("commit", "-q", "--allow-empty", "-m", subject)


@pytest.mark.parametrize(
    "subject",
    ["Refuse a drain shorter than the lease", "Address `x`", "Need less", "Focus it", 'Revert "A thing"', "Bring it"],
)
def test_an_instruction_passes(git: Git, tmp_path: Path, subject: str) -> None:
    commit(git, subject)
    assert check(tmp_path) == (0, "")


@pytest.mark.parametrize(
    ("subject", "complaint"),
    [
        ("Refuse " + "x" * 66, "73 characters, more than 72"),
        ("Refuse it.", "ends with a period"),
        ("refuse it", "starts with a lower-case letter"),
        ("Fixes it", "`fixes` is not an imperative"),
        ("Fixed it", "`fixed` is not an imperative"),
        ("Fixing it", "`fixing` is not an imperative"),
        ("A page is read", "`a` is not an imperative"),
        ("What a page says", "`what` is not an imperative"),
    ],
)
def test_a_wrong_subject_is_reported_with_its_commit(git: Git, tmp_path: Path, subject: str, complaint: str) -> None:
    commit(git, subject)
    code, output = check(tmp_path)
    assert code == 1
    assert output.startswith(f"{git('rev-parse', '--short', 'HEAD').strip()} {subject}\n")
    assert complaint in output


def test_history_older_than_the_check_is_not_checked(git: Git, tmp_path: Path) -> None:
    """A clone without `main`, and without a tag."""
    git("checkout", "-q", "-b", "mine")
    git("branch", "-q", "-D", "main")
    assert check(tmp_path) == (0, "")
    commit(git, "A wrong one")
    assert check(tmp_path)[0] == 1


def test_a_branch_is_checked_from_its_merge_base(git: Git, tmp_path: Path) -> None:
    commit(git, "A wrong one on main")
    git("checkout", "-q", "-b", "mine")
    commit(git, "Mend it")
    assert check(tmp_path) == (0, "")
    commit(git, "A wrong one on a branch")
    assert check(tmp_path)[0] == 1


def test_main_is_checked_from_the_last_tag(git: Git, tmp_path: Path) -> None:
    commit(git, "A wrong one before the release")
    git("tag", "v1.0.0")
    assert check(tmp_path) == (0, "")
    commit(git, "A wrong one after it")
    assert check(tmp_path)[0] == 1


def test_a_branch_is_compared_with_the_main_of_its_origin(git: Git, tmp_path: Path) -> None:
    """Commits that are not pushed are new, even on `main`."""
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    commit(git, "A wrong one")
    assert check(tmp_path)[0] == 1
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert check(tmp_path)[0] == 1, "no tag: all commits since the check was added"


def test_a_folder_without_history_passes(root: Path, tmp_path: Path) -> None:
    """A source archive, or a clone without history."""
    (tmp_path / "tools").mkdir()
    shutil.copy(root / "tools/check_commits.py", tmp_path / "tools")
    assert check(tmp_path) == (0, "")
