"""Runs a page in a real shell: writes its files, runs its commands and records their output."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from pages import FENCE, Block
from servers import wait_for

LOGGED = "12:00:00.000"
IDS = [
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b"), ("01M7QRV2B69659CEA944DKN6FY", "01M7QRWHE2Y5C1T8RB0HW7ZQ3D",
                                                "01M7QRYK4NK30VX6PAFEM29GJS", "01M7QS0B9W7TZQ4HD1YKRC58NE")),
    (re.compile(r"\b[\w.-]+~[0-9a-z]{8}\b"), ("laptop~5968fwgw", "laptop~c3k7x0mq", "laptop~v9t2bn4h",
                                               "laptop~28jrdz6s", "laptop~m5y1gq7c")),
    (re.compile(r"\b\d{13}-\d+\b"), ("1795017437111-0", "1795017484226-0", "1795017551873-0", "1795017609340-0")),
]  # fmt: skip
"""Ids and names differ in each run; a page shows these, a different one for each."""
VARIES = [
    (re.compile(r"\b\d\d:\d\d:\d\d\.\d{3}\b"), LOGGED),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "2026-11-18T12:00:00Z"),
    (re.compile(r"\bseconds=[\d.]+"), "seconds=0.003"),
    (re.compile(r"\bnext_due=\d+"), "next_due=1795060032"),
    (re.compile(r"\bfence=\d+"), "fence=1795060031004653"),
    (re.compile(r"(?<= )(?:\d+[hm])*[\d.]+m?s\b"), "2s"),
]
"""Times differ in each run; a page shows these."""
IN_COLUMN = re.compile(r"(?<=  )(?:\d+[hm])*[\d.]+m?s\b")
"""A duration in a table, where its width matters."""
CONSTANT = re.compile(r"penstock (?:lint|show|explain|generate|check|diff|acl|rules) ?")
"""Commands that use neither Redis nor a clock: a page shows their exact output."""
HOURS = re.compile(r"(?:\b\d+[dhm] )+(?=2s\b)")
"""Days, hours and minutes before the seconds; they change in a slower run."""
PATIENCE = 120


def alike(text: str) -> str:
    """Ignore the width of columns, which depends on ids and names, and the order of lines logged at the same time."""
    lines = [HOURS.sub("", re.sub(" +", " ", line)).rstrip() for line in text.splitlines()]
    groups = (sorted(group) if logged else list(group) for logged, group in groupby(lines, lambda line: LOGGED in line))
    return "\n".join(line for group in groups for line in group)


class Normalizer:
    """Replaces everything that differs in each run of a page; the same id stays the same on the page."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def shown(self, command: str, output: str) -> str:
        """The output of a command as a page shows it."""
        if not CONSTANT.match(command):
            for pattern, names in IDS:
                output = self._with_names(pattern, names, output)
            output = IN_COLUMN.sub(lambda duration: "2s".rjust(len(duration[0])), output)
            for varying, constant in VARIES:
                output = varying.sub(constant, output)
        return "".join(f"{line.rstrip()}\n" for line in output.splitlines())

    def _with_names(self, pattern: re.Pattern[str], names: Sequence[str], output: str) -> str:
        # In the order of the ids, which is that of time: log lines of the same moment come in any order.
        for one in sorted(set(pattern.findall(output)) - self._known.keys()):
            used = sum(name in names for name in self._known.values())
            self._known[one] = names[used]
        return pattern.sub(lambda match: self._known[match[0]], output)


@contextmanager
def typing(words: str) -> Iterator[int]:
    """A terminal in which these words are typed; without any, there is no input."""
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
    """Runs commands one after the other; the folder and exported variables persist."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.environ = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", **variables}
        # `imported` looks for Python's cache, so the user's settings must not turn it off.
        for variable in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PENSTOCK_ENV"):
            self.environ.pop(variable, None)
        self.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    @property
    def place(self) -> Path:
        return Path(self.environ.get("PWD_", self.folder))

    def output_of(self, command: str) -> str:
        """Run a command; return what it writes to stdout, then stderr."""
        process = self.run(command)
        return process.stdout + process.stderr

    def run(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command with typed input, and keep its working directory and exported variables."""
        state = self.folder / "kept"
        script = f"{command}\ncode=$?; {{ pwd; env -0; }} > {state}; exit $code"
        with typing(typed) as stdin:
            process = subprocess.run(
                ["bash", "-c", script],
                cwd=self.place,
                env=self.environ,
                stdin=stdin,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        place, _, variables = state.read_text().partition("\n")
        self.environ = dict(one.split("=", 1) for one in variables.split("\0") if "=" in one)
        self.environ["PWD_"] = place
        return process

    def interrupt(self, command: str, when: str) -> tuple[int, str]:
        """Send Ctrl-C as soon as the output has a text; return the exit code and the output."""
        with (self.folder / "output").open("w+") as output:

            def written() -> str:
                return Path(output.name).read_text()

            process = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self.place,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a terminal interrupts only what it started
            )
            try:
                wait_for(lambda: when in written() or process.poll() is not None, f"the output has: {when}", PATIENCE)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)
                return process.wait(PATIENCE), written()
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def write(self, file: str, text: str) -> None:
        path = self.place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        # Python's cache takes two versions of the same second and size for the same file.
        for stale in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            stale.unlink()

    def imported(self, file: str) -> bool:
        """Whether Python has imported this file."""
        path = self.place / file
        return any(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))

    def play(self, page: str) -> tuple[str, list[str]]:
        """Run a page; return it with the real output, and its Python files that no command used."""
        idle: dict[str, str] = {}
        normalizer = Normalizer()

        def drop_imported() -> None:
            for file in [file for file in idle if self.imported(file)]:
                del idle[file]

        def played(fence: re.Match[str]) -> str:
            block = Block(fence["kind"], fence["title"] or "", fence["text"])
            if block.title:
                drop_imported()
                self.write(block.title, block.text)
                if block.kind == "python" and not block.is_others:
                    idle[block.title] = block.text
            if block.kind != "console":
                return fence[0]
            output = ""
            for command in block.commands():
                output += f"$ {command}\n{normalizer.shown(command, self.output_of(command))}"
                for file in [file for file in idle if file in command]:
                    del idle[file]
            return f"```console\n{output}```"

        result = FENCE.sub(played, page)
        drop_imported()
        return result, sorted(idle)
