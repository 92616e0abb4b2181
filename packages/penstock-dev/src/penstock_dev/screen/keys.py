"""The keys, defined once: for the bindings, the last line, the help and the docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

BURST = 100
LARGE_BURST = 1000


@dataclass(frozen=True, slots=True)
class Key:
    """A key, or several with the same action."""

    keys: tuple[str, ...]
    """Textual's names."""
    shown: str
    action: str
    short: str
    """For the last line; empty if it is not listed there."""
    help: str


KEYS = (
    Key(("s",), "s", "send(1)", "send", "send a sample message; for a scheduler, run the next job"),
    Key(("b",), "b", f"send({BURST})", "burst", f"send {BURST} messages"),
    Key(("B", "shift+b"), "B", f"send({LARGE_BURST})", "", f"send {LARGE_BURST} messages"),
    Key(("k",), "k", "kill", "kill -9", "kill the marked worker, or the busiest one, with SIGKILL"),
    Key(("r",), "r", "redis", "Redis", "stop Redis, as if its machine failed; again: start it"),
    Key(("p",), "p", "pause", "pause", "pause scaling, as KEDA's annotation does, or all jobs; again: resume"),
    Key(("f",), "f", "filter", "log", "show only the log of the selected spec; again: of all"),
    Key(("question_mark",), "?", "help", "help", "show this help"),
    Key(("q", "ctrl+c", "ctrl+q"), "q", "quit", "quit", "stop all workers and quit"),
    Key(("up",), "↑", "choose(-1)", "", "select the previous spec"),
    Key(("down",), "↓", "choose(1)", "", "select the next spec"),
    Key(("left",), "←", "mark(-1)", "", "mark the previous worker, for `k`"),
    Key(("right",), "→", "mark(1)", "", "mark the next worker, for `k`"),
    Key(("pageup",), "PgUp", "scroll(-1)", "", "scroll the log back"),
    Key(("pagedown",), "PgDn", "scroll(1)", "", "scroll the log forward"),
    Key(("end",), "End", "follow", "", "follow the log again"),
)  # fmt: skip


def last_line(columns: int) -> Text:
    """As many keys as fit, with a word each if there is room."""
    named = [key for key in KEYS if key.short]
    for with_words in (True, False):
        line = _key_line(named, with_words=with_words)
        if line.cell_len <= columns:
            return line
    return Text("? help  q quit"[: max(columns, 0)], no_wrap=True)


def _key_line(keys: Sequence[Key], *, with_words: bool) -> Text:
    line = Text(no_wrap=True)
    for key in keys:
        line.append("  " if line and with_words else " " if line else "")
        line.append(key.shown, "bold")
        line.append(f" {key.short}" if with_words else "")
    return line


def help_text() -> Text:
    """All keys, one per line."""
    text = Text("! problem   P scaling is paused   2→5 two replicas, five wanted\n\n")
    for key in KEYS:
        text.append(f"{key.shown:<5}", "bold").append(f"{key.help}\n")
    return text.append("\nPress any key to close.", "dim")
