"""The log widget: it follows the end until the user scrolls back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from rich.text import Text
from textual.widgets import RichLog

from penstock_dev.screen.log_lines import filter_log, render_prefix, render_text
from penstock_dev.snapshot import LogLine
from penstock_spec.values.display import many

MAX_LINES = 2000
MAX_AT_ONCE = 150
"""More lines would delay the event loop, and are too many to read between two updates."""
MAX_NAME = 24


class LogPane(RichLog):
    """Writes each line once, and all lines anew when the width or the filter changes."""

    can_focus = False

    def __init__(self, zone: tzinfo | None) -> None:
        super().__init__(id="log", max_lines=MAX_LINES, min_width=1, wrap=False)
        self.following = True
        self._zone = zone
        self._last_number = -1
        self._only: str | None = None
        self._width = 0

    def show(self, log: Sequence[LogLine], names: Sequence[str], only: str | None, lines: int) -> None:
        """Add the new lines, of one spec or of all."""
        self.display = lines > 0
        self.styles.height = lines
        if (only, self.app.size.width) != (self._only, self._width):
            self._only, self._width = only, self.app.size.width
            self._last_number = -1
            self.clear()
            self.follow()
        width = 0 if only else min(max(map(len, names), default=0), MAX_NAME)
        new = filter_log([line for line in log if line.number > self._last_number], only)
        if len(new) > MAX_AT_ONCE:
            omitted = many(len(new) - MAX_AT_ONCE, "more line")
            self.write(Text(f"({omitted})", "dim"), scroll_end=self.following)
        for line in new[-MAX_AT_ONCE:]:
            self._add(line, width)
        self._last_number = log[-1].number if log else -1

    def _add(self, line: LogLine, names: int) -> None:
        start = render_prefix(line, self._zone)
        indent = start.cell_len
        for part in render_text(line, names).wrap(self.app.console, max(self._width - indent, 1)):
            part.rstrip()
            self.write(start.append_text(part), width=self._width, scroll_end=self.following)
            start = Text(" " * indent)

    def follow(self) -> None:
        """Scroll to the end and stay there."""
        self.following = True
        self.scroll_end(animate=False)

    def page(self, by: int) -> None:
        """Scroll by a page; at the end it follows again."""
        to = self.scroll_target_y + by * max(self.size.height - 1, 1)
        if to >= self.max_scroll_y:
            self.follow()
        else:
            self.following = False
            self.scroll_to(y=to, animate=False)
