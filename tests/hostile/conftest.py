"""A repository that lints files, each with limited time and memory."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PLATFORM = """\
kind: platform
environments:
  dev:
    namespace: dev
    redis: {addresses: ["redis:6379"], connections: 10000}
    routes: {default: {slack: "#alerts"}}
"""


class Answer(NamedTuple):
    """The result for one file."""

    code: int
    output: str

    @property
    def rules(self) -> set[str]:
        """The rules of the errors."""
        return {line[6 : line.index("]")] for line in self.output.splitlines() if line.startswith("error[")}


class Repository:
    """A folder of specs, and a process that lints one after the other."""

    def __init__(self, root: Path, process: "subprocess.Popen[bytes]") -> None:
        self.root = root
        self.process = process

    def lint(self, content: bytes) -> Answer:
        """Lint a file with this content."""
        self.path.write_bytes(content)
        return self.lint_path(self.path)

    @property
    def path(self) -> Path:
        """The spec's file."""
        return self.root / "specs" / "it.yaml"

    def lint_path(self, path: Path, who: str = "me") -> Answer:
        """Lint the file at a path."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{who} {path}\n".encode())
        self.process.stdin.flush()
        code = self.process.stdout.readline()
        return Answer(int(code), (self.root / "output").read_text())


@pytest.fixture(scope="session")
def repository() -> Iterator[Repository]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)  # linted as a user who is not its owner
        (root / "specs").mkdir()
        (root / "penstock.yaml").write_text(PLATFORM)
        (root / "specs" / "it.yaml").write_text("{")
        command = [sys.executable, str(Path(__file__).with_name("lint_each.py"))]
        with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            yield Repository(root, process)
            assert process.stdin
            process.stdin.close()
            assert process.wait() == 0
