"""The tutorial, word for word, in a real shell: what it shows is what happens.

`PENSTOCK_REWRITE_TRANSCRIPTS=1` writes down what is said now.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "tutorial.md"
FENCE = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
VARIES = [
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b"), "01M7QRV2B69659CEA944DKN6FY"),
    (re.compile(r"\b[\w.-]+~[0-9a-z]{8}\b"), "laptop~5968fwgw"),
    (re.compile(r"\b\d\d:\d\d:\d\d\.\d{3}\b"), "12:00:00.000"),
    (re.compile(r"\b\d{13}-\d+\b"), "1795017437111-0"),
    (re.compile(r"\bseconds=[\d.]+"), "seconds=0.003"),
    (re.compile(r"(?<= )[\d.]+m?s\b"), "2s"),
    (re.compile(r" +"), " "),
]
"""Ids, names, times and widths are others each time; these stand on the page."""


def alike(text: str) -> str:
    """Without what is different each time."""
    for varies, always in VARIES:
        text = varies.sub(always, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


class Shell:
    """Commands one after the other, in a folder and with variables that stay."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def say(self, command: str) -> str:
        """What it says, on both streams; where it goes and what it exports is kept."""
        keep = self.folder / "kept"
        script = f"{command}\ncode=$?; {{ pwd; env -0; }} > {keep}; exit $code"
        told = subprocess.run(
            ["bash", "-c", script],
            cwd=self.environ.get("PWD_", self.folder),
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        place, _, variables = keep.read_text().partition("\n")
        self.environ = dict(one.split("=", 1) for one in variables.split("\0") if "=" in one)
        self.environ["PWD_"] = place
        return told.stdout + told.stderr


def test_the_tutorial_is_true(tmp_path: Path) -> None:
    """Every command of the page is run, every file is written, and every answer is what stands there."""
    shell, page = Shell(tmp_path), PAGE.read_text()

    def played(fence: re.Match[str]) -> str:
        if fence["title"]:
            (Path(shell.environ["PWD_"]) / fence["title"]).write_text(fence["text"])
            return fence[0]
        if fence["kind"] != "console":
            return fence[0]
        blocks = [one.split("\n", 1)[0] for one in re.split(r"(?m)^\$ ", fence["text"]) if one]
        said = "".join(f"$ {command}\n{shown(shell.say(command))}" for command in blocks)
        return f"```console\n{said}```"

    told = FENCE.sub(played, page)
    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        PAGE.write_text(told)
    assert alike(told) == alike(page)


def shown(said: str) -> str:
    """As the page has it."""
    for varies, always in VARIES[:-1]:
        said = varies.sub(always, said)
    return "".join(f"{line.rstrip()}\n" for line in said.splitlines())
