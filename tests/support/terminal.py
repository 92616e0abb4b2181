"""A real terminal: tmux with a shell, in which a test types and reads the screen."""

from __future__ import annotations

import shlex
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from patience import PATIENCE
from servers import wait_for

PROMPT = "ready>"

Seen = Callable[[str], object]


class Terminal:
    """A terminal with its own tmux server, which ends with it."""

    def __init__(self, folder: Path, columns: int = 80, lines: int = 24) -> None:
        """Start a shell in this folder and wait for its prompt."""
        self._name = f"penstock-{uuid.uuid4().hex[:12]}"
        # Without the user's settings, so that the shell looks the same everywhere.
        size = ("-x", str(columns), "-y", str(lines))
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(folder), f"PS1='{PROMPT} ' exec sh")
        self.until(lambda text: PROMPT in text, "the shell shows its prompt")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()

    def hang_up(self) -> None:
        """Close the terminal as a lost connection does."""
        subprocess.run(("tmux", "-L", self._name, "kill-server"), check=False, capture_output=True)

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        self._tmux("send-keys", "-l", line)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        """Press keys, by their names in tmux."""
        self._tmux("send-keys", *keys)

    def record(self, file: Path) -> None:
        """Append everything that programs write from now on to a file."""
        self._tmux("pipe-pane", f"cat >> {shlex.quote(str(file))}")

    def resize(self, columns: int, lines: int) -> None:
        """Resize the window."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def lines(self) -> list[str]:
        """The visible lines."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").split("\n")[:-1]]

    def coloured(self) -> str:
        """The visible text with its color codes."""
        return self._tmux("capture-pane", "-p", "-e")

    def variable(self, what: str) -> str:
        """A variable of the terminal, such as `alternate_on`."""
        return self._tmux("display-message", "-p", f"#{{{what}}}").strip()

    def until(self, seen: Seen, what: str, seconds: float = PATIENCE) -> str:
        """Wait for a condition on the visible text; return that text."""
        try:
            wait_for(lambda: seen("\n".join(self.lines())), what, seconds)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *self.lines()])) from None
        return "\n".join(self.lines())

    def until_shows(self, *texts: str) -> str:
        """Wait until all texts are visible."""
        return self.until(lambda text: all(one in text for one in texts), f"the terminal shows {texts}")

    def _tmux(self, *words: str) -> str:
        command = ("tmux", "-L", self._name, *words)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
