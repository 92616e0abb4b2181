"""`penstock new` writes a spec that lints, or says what is missing; on a terminal it asks."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
SAID = ("--team", "media", "--handler", "media.jobs:resize", "--image", "registry.example/media:1.0.0")


@pytest.mark.usefixtures("repository")
def test_a_spec_by_options_lints_clean(penstock: Run) -> None:
    ran = penstock("new", "resize", *SAID, "--timeout", "10m", "--min", "2", "--max", "4", "--stream", "streams:r")
    assert ran.code == 0
    assert penstock("lint", "--strict").code == 0
    shown = penstock("show", "resize", "--env", "dev", "--plain").out
    assert "  timeout: 10m\n" in shown
    assert "  key: streams:r\n" in shown
    assert "    min: 2\n    max: 4\n" in shown


@pytest.mark.parametrize("missing", ["--team", "--handler", "--image"])
def test_without_a_terminal_missing_options_are_named(missing: str, repository: Path, penstock: Run) -> None:
    at = SAID.index(missing)
    ran = penstock("new", "resize", *SAID[:at], *SAID[at + 2 :])
    assert ran.code == 2
    assert missing in ran.err
    assert not (repository / "specs" / "resize.yaml").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ("Resize", *SAID),
        ("resize", *SAID, "--timeout", "10"),
        ("../resize", *SAID),
        ("a\0b", *SAID),
        ("media-cluster", *SAID),
    ],
    ids=["name", "unit", "path", "nul", "taken"],
)
def test_invalid_values_are_refused_before_writing(wrong: tuple[str, ...], repository: Path, penstock: Run) -> None:
    before = sorted(repository.rglob("*.yaml"))
    assert penstock("new", *wrong).code == 2
    assert sorted(repository.rglob("*.yaml")) == before


# The child becomes another program at once, whatever other threads pytest has.
@pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning")
def test_on_a_terminal_it_asks_and_asks_again(repository: Path) -> None:
    """A wrong answer gets its hint and another try."""
    told = type_into(
        [sys.executable, "-m", "penstock", "new"],
        {
            "Name of the pipeline?": "Resize Images",
            "write `resize-images`": "resize-images",
            "Owning team": "media",
            "Handler": "media/jobs.py",
            "Error: `media/jobs.py`": "media.jobs:resize",
            "Image of": "registry.example/media:1.0.0",
        },
    )
    assert "no findings in 1 spec" in told
    assert "handler: media.jobs:resize\n" in (repository / "specs" / "resize-images.yaml").read_text()


def type_into(command: list[str], answers: dict[str, str]) -> str:
    """Run a command on a terminal of its own; type each answer when its question has appeared."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], command)  # noqa: S606 - the child becomes the command
    told, waiting = "", list(answers.items())
    try:
        while data := os.read(terminal, 4096):
            told += data.decode()
            if waiting and waiting[0][0] in told:
                os.write(terminal, f"{waiting.pop(0)[1]}\n".encode())
    except OSError:  # the terminal is gone when the command has ended
        pass
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, told
    assert not waiting, told
    return told
