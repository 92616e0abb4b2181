"""Colour appears on terminals only, and completion works in real shells."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LINT = [sys.executable, "-m", "penstock", "lint"]
ESCAPE = "\x1b["


def on_a_terminal(**variables: str) -> str:
    """The output of `penstock lint` on a terminal."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    outside, inside = pty.openpty()
    process = subprocess.Popen(LINT, stdout=inside, env={**environment, "TERM": "xterm", **variables})
    os.close(inside)
    output = b""
    try:
        while data := os.read(outside, 4096):
            output += data
    except OSError:  # the other end is closed
        pass
    os.close(outside)
    assert process.wait() == 1
    return output.decode()


@pytest.fixture
def broken(repository: Path) -> Path:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "shutdown: {grace: 20s}\n")
    return repository


@pytest.mark.usefixtures("broken")
def test_a_terminal_gets_colour() -> None:
    assert f"{ESCAPE}31m" in on_a_terminal()


@pytest.mark.parametrize("wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
@pytest.mark.usefixtures("broken")
def test_colour_respects_the_user(wish: dict[str, str]) -> None:
    assert ESCAPE not in on_a_terminal(**wish)


def test_a_pipe_and_a_file_get_no_colour(broken: Path) -> None:
    piped = subprocess.run(LINT, capture_output=True, text=True, check=False)
    subprocess.run([*LINT, "--output", "findings.txt"], capture_output=True, check=False)
    assert ESCAPE not in piped.stdout
    assert (broken / "findings.txt").read_text() == piped.stdout


def complete(line: str) -> list[str]:
    """The completions of a command line, requested like a shell's completion script does."""
    variables = {"_PENSTOCK_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    code = "import sys; sys.argv[0] = 'penstock'; from penstock.command import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    return [line.partition(",")[2] for line in result.stdout.splitlines()]


@pytest.mark.usefixtures("repository")
def test_verbs_environments_and_rules_are_completed() -> None:
    assert complete("penstock li") == ["lint"]
    assert complete("penstock lint --env pro") == ["production"]
    assert "grace-shorter-than-timeout" in complete("penstock explain grace-")


SHELLS = {
    "bash": ["bash", "--norc", "-c", "{script}\ncomplete -p penstock"],
    "zsh": ["zsh", "-f", "-c", "autoload -U compinit && compinit -u -D\n{script}\nprint $_comps[penstock]"],
    "fish": ["fish", "--no-config", "-c", "{script}\ncomplete --do-complete 'penstock explain lease-too'"],
}


@pytest.mark.parametrize("shell", [pytest.param(name, marks=pytest.mark.needs(name), id=name) for name in SHELLS])
@pytest.mark.usefixtures("repository")
def test_the_completion_script_works_in_the_shell(shell: str, penstock: Callable[..., Any]) -> None:
    script = penstock("completion", shell).out
    command = [part.replace("{script}", script) for part in SHELLS[shell]]
    folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    assert ("lease-too-short" if shell == "fish" else "_penstock_completion") in done.stdout
