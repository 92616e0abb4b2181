"""A page in a real shell: its files are written, its commands run, and what they say is taken down."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from pages import FENCE, Block
from servers import wait_for

LOGGED = "12:00:00.000"
VARIES = [
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b"), "01M7QRV2B69659CEA944DKN6FY"),
    (re.compile(r"\b[\w.-]+~[0-9a-z]{8}\b"), "laptop~5968fwgw"),
    (re.compile(r"\b\d\d:\d\d:\d\d\.\d{3}\b"), LOGGED),
    (re.compile(r"\b\d{13}-\d+\b"), "1795017437111-0"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "2026-11-18T12:00:00Z"),
    (re.compile(r"\bseconds=[\d.]+"), "seconds=0.003"),
    (re.compile(r"\bnext_due=\d+"), "next_due=1795060032"),
    (re.compile(r"\bfence=\d+"), "fence=1795060031004653"),
    (re.compile(r"(?<= )(?:\d+[hm])*[\d.]+m?s\b"), "2s"),
]
"""Ids, names and times are others each time; these stand on the page."""
ALWAYS_THE_SAME = re.compile(r"penstock (?:lint|show|explain|generate|check|diff|acl|rules) ?")
"""Commands that meet neither Redis nor a clock: what they say stands there as it is."""
HOURS = re.compile(r"(?:\b\d+[dhm] )+(?=2s\b)")
"""What stands before the seconds: it changes in a run that takes a minute longer."""
PATIENCE = 120


def alike(text: str) -> str:
    """Without the width of columns, which hang on ids and names, and the order of what is logged at the same time."""
    lines = [HOURS.sub("", re.sub(" +", " ", line)).rstrip() for line in text.splitlines()]
    told = (sorted(some) if logged else list(some) for logged, some in groupby(lines, lambda line: LOGGED in line))
    return "\n".join(line for some in told for line in some)


def shown(command: str, said: str) -> str:
    """As the page has it."""
    for varies, always in () if ALWAYS_THE_SAME.match(command) else VARIES:
        said = varies.sub(always, said)
    return "".join(f"{line.rstrip()}\n" for line in said.splitlines())


@contextmanager
def typing(words: str) -> Iterator[int]:
    """A terminal at which these words are typed; where there are none, nobody sits there."""
    if not words:
        yield subprocess.DEVNULL
        return
    outside, inside = pty.openpty()
    try:
        os.write(outside, words.encode())
        yield inside
    finally:
        os.close(outside)
        os.close(inside)


class Shell:
    """Commands one after the other, in a folder and with variables that stay."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.environ = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", **variables}
        # What is imported leaves its trace (`imported`), also where whoever runs the tests wants none.
        for theirs in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PENSTOCK_ENV"):
            self.environ.pop(theirs, None)
        self.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    @property
    def place(self) -> Path:
        return Path(self.environ.get("PWD_", self.folder))

    def output_of(self, command: str) -> str:
        """What it says, on both streams."""
        told = self.run(command)
        return told.stdout + told.stderr

    def run(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """To its end, with what somebody types at a terminal; where it goes and what it exports is kept."""
        keep = self.folder / "kept"
        script = f"{command}\ncode=$?; {{ pwd; env -0; }} > {keep}; exit $code"
        with typing(typed) as stdin:
            told = subprocess.run(
                ["bash", "-c", script],
                cwd=self.place,
                env=self.environ,
                stdin=stdin,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        place, _, variables = keep.read_text().partition("\n")
        self.environ = dict(one.split("=", 1) for one in variables.split("\0") if "=" in one)
        self.environ["PWD_"] = place
        return told

    def interrupt(self, command: str, when: str) -> tuple[int, str]:
        """Ctrl-C as soon as it has said this, and how it ends then."""
        with (self.folder / "said").open("w+") as said:

            def spoken() -> str:
                return Path(said.name).read_text()

            process = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self.place,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a terminal interrupts all that it began, and nothing else
            )
            try:
                wait_for(lambda: when in spoken() or process.poll() is not None, f"it says: {when}", PATIENCE)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)
                return process.wait(PATIENCE), spoken()
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def write(self, file: str, text: str) -> None:
        path = self.place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        # Two versions within a second, of one size, are one file to Python's cache.
        for stale in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            stale.unlink()

    def imported(self, file: str) -> bool:
        """Whether a Python has loaded this file as a module."""
        path = self.place / file
        return any(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))

    def play(self, page: str) -> tuple[str, list[str]]:
        """The page as it is when its files are written and its commands run; and which Python of ours nobody ran."""
        idle: dict[str, str] = {}

        def looked() -> None:
            for file in [file for file in idle if self.imported(file)]:
                del idle[file]

        def played(fence: re.Match[str]) -> str:
            block = Block(fence["kind"], fence["title"] or "", fence["text"])
            if block.title:
                looked()
                self.write(block.title, block.text)
                if block.kind == "python" and not block.is_others:
                    idle[block.title] = block.text
            if block.kind != "console":
                return fence[0]
            said = ""
            for command in block.commands():
                said += f"$ {command}\n{shown(command, self.output_of(command))}"
                for file in [file for file in idle if file in command]:
                    del idle[file]
            return f"```console\n{said}```"

        told = FENCE.sub(played, page)
        looked()
        return told, sorted(idle)
