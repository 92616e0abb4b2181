"""`penstock new` writes a valid spec or names the missing options; on a terminal it asks for them."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
OPTIONS = ("--team", "media", "--handler", "media.jobs:resize", "--image", "registry.example/media:1.0.0")


@pytest.mark.usefixtures("repository")
def test_a_spec_from_options_has_no_findings(penstock: Run) -> None:
    ran = penstock("new", "resize", *OPTIONS, "--timeout", "10m", "--min", "2", "--max", "4", "--stream", "streams:r")
    assert ran.code == 0
    assert penstock("lint", "--strict").code == 0
    shown = penstock("show", "resize", "--env", "dev", "--plain").out
    assert "  timeout: 10m\n" in shown
    assert "  key: streams:r\n" in shown
    assert "    min: 2\n    max: 4\n" in shown


@pytest.mark.parametrize("missing", ["--team", "--handler", "--image"])
def test_without_a_terminal_missing_options_are_named(missing: str, repository: Path, penstock: Run) -> None:
    at = OPTIONS.index(missing)
    ran = penstock("new", "resize", *OPTIONS[:at], *OPTIONS[at + 2 :])
    assert ran.code == 2
    assert missing in ran.err
    assert not (repository / "specs" / "resize.yaml").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ("Resize", *OPTIONS),
        ("resize", *OPTIONS, "--timeout", "10"),
        ("../resize", *OPTIONS),
        ("a\0b", *OPTIONS),
        ("media-cluster", *OPTIONS),
    ],
    ids=["name", "unit", "path", "nul", "existing"],
)
def test_invalid_values_are_refused_before_writing(wrong: tuple[str, ...], repository: Path, penstock: Run) -> None:
    before = sorted(repository.rglob("*.yaml"))
    assert penstock("new", *wrong).code == 2
    assert sorted(repository.rglob("*.yaml")) == before


# The child executes another program at once, so other threads of pytest do not matter.
@pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning")
def test_on_a_terminal_it_asks_until_the_answer_is_valid(repository: Path) -> None:
    """A wrong answer gets a hint."""
    output = type_into(
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
    assert "no findings in 1 spec" in output
    assert "handler: media.jobs:resize\n" in (repository / "specs" / "resize-images.yaml").read_text()


def type_into(command: list[str], answers: dict[str, str]) -> str:
    """Run a command on its own terminal; type each answer when its question appears."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], command)  # noqa: S606 - the child becomes the command
    output, unanswered = "", list(answers.items())
    try:
        while data := os.read(terminal, 4096):
            output += data.decode()
            if unanswered and unanswered[0][0] in output:
                os.write(terminal, f"{unanswered.pop(0)[1]}\n".encode())
    except OSError:  # the terminal is closed when the command has ended
        pass
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, output
    assert not unanswered, output
    return output
