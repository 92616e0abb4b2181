"""The keys, once: the screen binds them, its last line names them, its help and the docs explain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

BURST = 100
LARGE_BURST = 1000


@dataclass(frozen=True, slots=True)
class Key:
    """One key, or several that do the same."""

    keys: tuple[str, ...]
    """As Textual calls them."""
    shown: str
    action: str
    short: str
    """For the last line; empty where it is not named there."""
    says: str


KEYS = (
    Key(("s",), "s", "send(1)", "send", "send a message to the pipeline, made up to fit its schema"),
    Key(("b",), "b", f"send({BURST})", "burst", f"send {BURST} of them"),
    Key(("B", "shift+b"), "B", f"send({LARGE_BURST})", "", f"send {LARGE_BURST} of them"),
    Key(("k",), "k", "kill", "kill -9", "kill the marked worker with SIGKILL, or the one with most to do"),
    Key(("r",), "r", "redis", "Redis", "stop Redis, as if its machine were gone; again: start it"),
    Key(("p",), "p", "pause", "pause", "pause its scaling, as KEDA's annotation does; again: resume"),
    Key(("f",), "f", "filter", "log", "show the log of the pipeline only; again: of all"),
    Key(("question_mark",), "?", "help", "help", "show this help"),
    Key(("q", "ctrl+c", "ctrl+q"), "q", "quit", "quit", "stop all workers and leave"),
    Key(("up",), "↑", "choose(-1)", "", "choose the pipeline above"),
    Key(("down",), "↓", "choose(1)", "", "choose the pipeline below"),
    Key(("left",), "←", "mark(-1)", "", "mark the worker before, for `k`"),
    Key(("right",), "→", "mark(1)", "", "mark the worker after, for `k`"),
    Key(("pageup",), "PgUp", "scroll(-1)", "", "read what the log said before"),
    Key(("pagedown",), "PgDn", "scroll(1)", "", "read what it said after that"),
    Key(("end",), "End", "follow", "", "follow the log again"),
)  # fmt: skip


def last_line(columns: int) -> Text:
    """The keys that fit, with a word each; where there is no room for words, the keys alone."""
    named = [key for key in KEYS if key.short]
    for worded in (True, False):
        line = _named(named, worded=worded)
        if line.cell_len <= columns:
            return line
    return Text("? help  q quit"[: max(columns, 0)], no_wrap=True)


def _named(keys: Sequence[Key], *, worded: bool) -> Text:
    line = Text(no_wrap=True)
    for key in keys:
        line.append("  " if line and worded else " " if line else "")
        line.append(key.shown, "bold")
        line.append(f" {key.short}" if worded else "")
    return line


def help_text() -> Text:
    """Every key, a line each."""
    text = Text("! wrong   P scaling is paused   2→5 two replicas, five are wanted\n\n")
    for key in KEYS:
        text.append(f"{key.shown:<5}", "bold").append(f"{key.says}\n")
    return text.append("\nAny key closes this.", "dim")
