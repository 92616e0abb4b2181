"""A file without read permission is a finding. Root can read everything, so the tests drop their rights."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from penstock_spec.files import read_bytes
from penstock_spec.reading import Problem
from penstock_spec.repository import open_repository, read_inputs

NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Acts as a user without rights if the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_without_permission_is_a_finding(tmp_path: Path) -> None:
    """The hint has the command that allows it."""
    path = tmp_path / "example.yaml"
    path.write_text("kind: pipeline\n")
    path.chmod(0)

    with as_nobody():
        problem = read_bytes(path, "specs/example.yaml")

    assert isinstance(problem, Problem)
    assert (problem.rule, str(problem.at)) == ("unreadable-file", "specs/example.yaml:1:1")
    assert problem.says == "reading it is not permitted"
    assert problem.hint == "allow it: `chmod +r specs/example.yaml`"


def test_a_folder_without_permission_is_a_finding(tmp_path: Path) -> None:
    """An unread folder does not count as a folder without findings."""
    (tmp_path / "penstock.yaml").write_text("kind: platform\n")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs").chmod(0)

    for folder in (tmp_path, *tmp_path.parents):  # only their owner may read the folders of pytest
        if folder == Path(gettempdir()):
            break
        folder.chmod(0o755)
    with as_nobody():
        [specs] = read_inputs(open_repository((), None, tmp_path)).specs

    assert isinstance(specs.raw, Problem)
    assert specs.raw.says == "reading it is not permitted"
