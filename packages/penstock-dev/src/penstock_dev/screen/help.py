"""The help, opened by `?`."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from penstock_dev.screen.keys import help_text

SCROLL_KEYS = frozenset({"up", "down", "pageup", "pagedown", "home", "end"})


class Help(ModalScreen[None]):
    """A dialog that any key closes, except those that scroll it."""

    def compose(self) -> ComposeResult:
        """The text of the help."""
        with VerticalScroll(id="help"):
            yield Static(help_text(), markup=False)

    def on_key(self, event: Key) -> None:
        """Close."""
        if event.key not in SCROLL_KEYS:
            event.stop()
            self.dismiss()
