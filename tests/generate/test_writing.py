"""An interrupted change leaves the old tree or the new one, at whatever point it is interrupted."""

import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from servers import wait_for

from penstock_generate.tree import writing
from penstock_generate.tree.stamps import FolderStamp, stamp_of
from penstock_generate.tree.writing import STAGE, Change, opened

OLD = {"dev/a/FILES": b"a", "dev/a/deep/er": b"1", "dev/gone/x": b"x", "dev/gone/y": b"y", "other": b"theirs"}
WRITES = {"dev/a/FILES": b"A", "dev/a/deep/est/new": b"2", "dev/b/x": b"3"}
REMOVES = ["dev/gone/x", "dev/gone/y", "dev/a/deep/er"]
NEW = {"dev/a/FILES": b"A", "dev/a/deep/est/new": b"2", "dev/b/x": b"3", "other": b"theirs"}

INTERRUPTED = f"""
import os, signal, sys
from pathlib import Path
from penstock_generate.tree.writing import Change, opened

root, at, number = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
seen = 0

def interrupt(event, args):
    global seen
    if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.scandir"):
        seen += 1
        if seen == at:
            os.kill(os.getpid(), number)

with opened(root):
    sys.addaudithook(interrupt)
    with Change(root) as change:
        for path, content in {WRITES!r}.items():
            change.stage(path, content)
        change.commit({REMOVES!r})
    at = 0
print("done")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "generated"
    for path, content in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def make(root: Path) -> None:
    with Change(root) as change:
        for path, content in WRITES.items():
            change.stage(path, content)
        change.commit(REMOVES)


def contents(root: Path) -> dict[str, bytes]:
    paths = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def empty_folders(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_dir() and not any(path.iterdir())]


def interrupted(root: Path, at: int, number: signal.Signals) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", INTERRUPTED, str(root), str(at), str(number.value)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_change_writes_and_removes_files(tree: Path) -> None:
    """Other files stay, and empty folders are removed."""
    with opened(tree):
        make(tree)
    assert contents(tree) == NEW
    assert not empty_folders(tree)


def test_the_stamp_of_a_new_folder_is_known_before_it_is_moved(tree: Path) -> None:
    """So the new files need not be read again."""
    paths = ["dev/more/FILES", "dev/more/manifests/a.yaml", "dev/more/manifests/b.yaml"]
    with opened(tree), Change(tree) as change:
        stamp = FolderStamp.of({path: change.stage(path, path.encode()) for path in paths})
        change.commit([])
    wait_for(stamp.settled, "time stamps are trusted")
    assert stamp_of(tree, "dev/more") == stamp.digest
    (tree / paths[1]).write_text("touched")
    assert stamp_of(tree, "dev/more") != stamp.digest


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_change_is_completed_or_discarded(tmp_path: Path, tree: Path, number: signal.Signals) -> None:
    """At each step on the disk. A killed process cannot clean up; the next process that opens the tree does."""
    results = set()
    for at in count(1):
        root = tmp_path / f"{at}"
        subprocess.run(["cp", "-r", tree, root], check=True)
        ran = interrupted(root, at, number)
        with opened(root):
            result = contents(root)
        assert result in (OLD, NEW)
        assert not empty_folders(root)
        results.add(result == NEW)
        if ran.returncode == 0 and at > 1:
            assert ran.stdout == "done\n"
            break
    assert results == {True, False}


def test_signals_are_blocked_while_files_are_moved(tmp_path: Path, tree: Path) -> None:
    """An interrupted process leaves a complete tree, and no work for the next one."""
    for at in count(1):
        root = tmp_path / f"{at}"
        subprocess.run(["cp", "-r", tree, root], check=True)
        ran = interrupted(root, at, signal.SIGINT)
        if ran.returncode == 0:
            break
        assert contents(root) in (OLD, NEW)
        assert not (root / STAGE).exists()
    assert at > 3


def test_only_one_process_opens_a_tree_at_a_time(tree: Path) -> None:
    """The second waits for the first."""
    script = f"""
import sys
from pathlib import Path
from penstock_generate.tree.writing import opened
print("waits", flush=True)
with opened(Path({str(tree)!r})):
    print((Path({str(tree)!r}) / "dev/a/FILES").read_text(), flush=True)
"""
    with opened(tree):
        second = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert second.stdout
        assert second.stdout.readline() == "waits\n"
        make(tree)
    assert second.communicate()[0] == "A\n"


def test_a_full_disk_changes_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The change starts only after all files are staged."""
    write = writing.write

    def write_until_full(there: str, content: bytes) -> None:
        if content == b"3":
            raise OSError(28, os.strerror(28))
        write(there, content)

    monkeypatch.setattr(writing, "write", write_until_full)
    with opened(tree), pytest.raises(OSError, match="No space left"):
        make(tree)
    assert contents(tree) == OLD
