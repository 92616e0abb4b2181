"""A file that may not be read is told as any other finding. Root may read everything, so it steps down for the test."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock_spec.reading import Found
from penstock_spec.repository import read_bytes

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
    """It says how to allow it."""
    path = tmp_path / "example.yaml"
    path.write_text("kind: pipeline\n")
    path.chmod(0)

    with as_nobody():
        found = read_bytes(path, "specs/example.yaml")

    assert isinstance(found, Found)
    assert (found.rule, str(found.at)) == ("unreadable-file", "specs/example.yaml:1:1")
    assert found.says == "reading it is not permitted"
    assert found.hint == "allow it: `chmod +r specs/example.yaml`"
