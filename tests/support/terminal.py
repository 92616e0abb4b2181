"""A real terminal: tmux, a shell in it, somebody who types, and what is to be seen."""

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
    """With its own server of tmux, which goes with it."""

    def __init__(self, folder: Path, columns: int = 80, lines: int = 24) -> None:
        """A shell in this folder, whose prompt is to be seen."""
        self._name = f"penstock-{uuid.uuid4().hex[:12]}"
        # No settings of whoever runs the tests, and a shell that looks the same for everybody.
        size = ("-x", str(columns), "-y", str(lines))
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(folder), f"PS1='{PROMPT} ' exec sh")
        self.until(lambda text: PROMPT in text, "a prompt")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()

    def hang_up(self) -> None:
        """As if the connection were lost."""
        subprocess.run(("tmux", "-L", self._name, "kill-server"), check=False, capture_output=True)

    def type(self, line: str) -> None:
        """Letter by letter, and Enter."""
        self._tmux("send-keys", "-l", line)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        """As tmux calls them."""
        self._tmux("send-keys", *keys)

    def record(self, file: Path) -> None:
        """Everything that programs write from now on."""
        self._tmux("pipe-pane", f"cat >> {shlex.quote(str(file))}")

    def resize(self, columns: int, lines: int) -> None:
        """The window."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def lines(self) -> list[str]:
        """What is to be seen."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").split("\n")[:-1]]

    def coloured(self) -> str:
        """The same, with what was said of its colours."""
        return self._tmux("capture-pane", "-p", "-e")

    def variable(self, what: str) -> str:
        """What the terminal knows of itself, such as `alternate_on`."""
        return self._tmux("display-message", "-p", f"#{{{what}}}").strip()

    def until(self, seen: Seen, what: str, seconds: float = PATIENCE) -> str:
        """Wait for it. Gives what is to be seen then."""
        try:
            wait_for(lambda: seen("\n".join(self.lines())), what, seconds)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *self.lines()])) from None
        return "\n".join(self.lines())

    def until_shows(self, *texts: str) -> str:
        """Wait until all of them are to be seen."""
        return self.until(lambda text: all(one in text for one in texts), f"it shows {texts}")

    def _tmux(self, *words: str) -> str:
        command = ("tmux", "-L", self._name, *words)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
