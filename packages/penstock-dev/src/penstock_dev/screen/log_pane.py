"""The log, as a widget: it follows, unless somebody reads what was said before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from rich.text import Text
from textual.widgets import RichLog

from penstock_dev.screen.log_lines import chosen, said, stamp
from penstock_dev.snapshot import LogLine

MOST_LINES = 2000
MOST_AT_ONCE = 150
"""Lines: nobody reads more between two looks, and whoever starts and scales processes waits meanwhile."""
LONGEST_NAME = 24


class LogPane(RichLog):
    """Each line is written once; all of them again when the window or the choice is another."""

    can_focus = False

    def __init__(self, zone: tzinfo | None) -> None:
        """Empty."""
        super().__init__(id="log", max_lines=MOST_LINES, min_width=1, wrap=False)
        self.following = True
        self._zone = zone
        self._seen_until = -1
        self._only: str | None = None
        self._wide = 0

    def show(self, log: Sequence[LogLine], names: Sequence[str], only: str | None, lines: int) -> None:
        """What is new, of one spec or of all, in so many lines."""
        self.display = lines > 0
        self.styles.height = lines
        if (only, self.app.size.width) != (self._only, self._wide):
            self._only, self._wide = only, self.app.size.width
            self._seen_until = -1
            self.clear()
            self.follow()
        wide = 0 if only else min(max(map(len, names), default=0), LONGEST_NAME)
        new = chosen([line for line in log if line.number > self._seen_until], only)
        if len(new) > MOST_AT_ONCE:
            self.write(Text(f"({len(new) - MOST_AT_ONCE} lines more)", "dim"), scroll_end=self.following)
        for line in new[-MOST_AT_ONCE:]:
            self._add(line, wide)
        self._seen_until = log[-1].number if log else -1

    def _add(self, line: LogLine, names: int) -> None:
        start = stamp(line, self._zone)
        indent = start.cell_len
        for part in said(line, names).wrap(self.app.console, max(self._wide - indent, 1)):
            part.rstrip()
            self.write(start.append_text(part), width=self._wide, scroll_end=self.following)
            start = Text(" " * indent)

    def follow(self) -> None:
        """To the end, and to what will be there."""
        self.following = True
        self.scroll_end(animate=False)

    def page(self, by: int) -> None:
        """Back, or on; at the end it follows again."""
        to = self.scroll_target_y + by * max(self.size.height - 1, 1)
        if to >= self.max_scroll_y:
            self.follow()
        else:
            self.following = False
            self.scroll_to(y=to, animate=False)
