"""What `?` shows."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from penstock_dev.screen.keys import help_text

MOVES = frozenset({"up", "down", "pageup", "pagedown", "home", "end"})


class Help(ModalScreen[None]):
    """Over the rest, until a key is pressed; in a small window those that move do so."""

    def compose(self) -> ComposeResult:
        """One page."""
        with VerticalScroll(id="help"):
            yield Static(help_text(), markup=False)

    def on_key(self, event: Key) -> None:
        """Close."""
        if event.key not in MOVES:
            event.stop()
            self.dismiss()
