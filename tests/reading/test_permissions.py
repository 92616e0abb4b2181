"""A file without read permission is a finding. Root can read everything, so the test gives up its rights."""

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
    """As a user without rights, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_without_permission_is_a_finding(tmp_path: Path) -> None:
    """The hint says how to allow it."""
    path = tmp_path / "example.yaml"
    path.write_text("kind: pipeline\n")
    path.chmod(0)

    with as_nobody():
        found = read_bytes(path, "specs/example.yaml")

    assert isinstance(found, Problem)
    assert (found.rule, str(found.at)) == ("unreadable-file", "specs/example.yaml:1:1")
    assert found.says == "reading it is not permitted"
    assert found.hint == "allow it: `chmod +r specs/example.yaml`"


def test_a_folder_without_permission_is_a_finding(tmp_path: Path) -> None:
    """No findings because nothing was read would be misleading."""
    (tmp_path / "penstock.yaml").write_text("kind: platform\n")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs").chmod(0)

    for folder in (tmp_path, *tmp_path.parents):  # the folders that pytest makes are for their owner alone
        if folder == Path(gettempdir()):
            break
        folder.chmod(0o755)
    with as_nobody():
        [specs] = read_inputs(open_repository((), None, tmp_path)).specs

    assert isinstance(specs.raw, Problem)
    assert specs.raw.says == "reading it is not permitted"
