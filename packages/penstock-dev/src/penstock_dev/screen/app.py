"""The Textual app: panes that are redrawn when they change, and keys that call `Control`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import tzinfo
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.widgets import Static
from textual.worker import WorkerFailed

from penstock.wire.errors import RedisTrouble
from penstock_dev.control import Control
from penstock_dev.screen.detail import detail
from penstock_dev.screen.formatting import cut, folded
from penstock_dev.screen.heading import heading, problem_lines
from penstock_dev.screen.help import Help
from penstock_dev.screen.keys import KEYS, last_line
from penstock_dev.screen.layout import Layout, plan_layout
from penstock_dev.screen.log_pane import LogPane
from penstock_dev.screen.spec_table import SpecTable
from penstock_dev.snapshot import SnapshotSource, SpecSnapshot
from penstock_spec.findings import CannotGoOn

MAX_RESULT_LINES = 3
"""Lines for the result of a key."""
INTERVAL = 0.5
"""Seconds between two snapshots."""

Action = Coroutine[None, None, str]


class Pane(Static):
    """Text that is redrawn only when it changes, which saves traffic on a remote terminal."""

    def __init__(self, name: str) -> None:
        super().__init__("", id=name, markup=False)
        self.shown = Text()

    def show(self, text: Text, lines: int = 1) -> None:
        """Show the text in this number of lines; with 0 the pane is hidden."""
        self.display = lines > 0
        self.styles.height = lines
        if text != self.shown or text.spans != self.shown.spans:
            self.shown = text
            self.update(text)


class DevScreen(App[None]):
    """The screen."""

    CSS_PATH = "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "penstock dev"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(key.keys), key.action, key.help, priority=True, show=False) for key in KEYS
    ]

    def __init__(
        self, source: SnapshotSource, control: Control, *, every: float = INTERVAL, zone: tzinfo | None = None
    ) -> None:
        """Update every `every` seconds; show times in `zone`, by default the machine's."""
        # The terminal's own colours and background, which may be light. The theme alone does not suffice: with NO_COLOR
        # everything would become shades of grey.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.animation_level = "none"
        self._source = source
        self._control = control
        self._every = every
        self._snapshot = source()
        self._selected_name = ""
        self._marked: str | None = None
        self._filtered = False
        self._result_text, self._result_style = "", ""
        self.fault: BaseException | None = None
        """The unexpected exception that ended the screen."""
        self._panes = {
            name: Pane(name) for name in ("heading", "problems", "title", "detail", "log-title", "result", "keys")
        }
        self._table = SpecTable()
        self._log_pane = LogPane(zone)

    def compose(self) -> ComposeResult:
        """The panes from top to bottom."""
        panes = self._panes
        yield from (panes["heading"], panes["problems"], self._table, panes["title"], panes["detail"])
        yield from (panes["log-title"], self._log_pane, panes["result"], panes["keys"])

    def on_mount(self) -> None:
        """Start the updates."""
        self._take_snapshot()
        self.set_interval(self._every, self._take_snapshot)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Disable all actions while the help is open, as any key closes it."""
        del action, parameters
        return not isinstance(self.screen, Help)

    def on_resize(self, event: Resize) -> None:
        """Redraw everything at the new width."""
        del event
        self.call_later(self._draw)

    def _handle_exception(self, error: Exception) -> None:
        """Keep the exception for the caller, who gets it once the terminal is restored."""
        self.fault = self.fault or (error.error if isinstance(error, WorkerFailed) else error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """As in Textual, but without its traceback."""
        self._close_messages_no_wait()

    # Drawing

    @property
    def _selected(self) -> SpecSnapshot | None:
        specs = self._snapshot.specs
        return next((one for one in specs if one.name == self._selected_name), specs[0] if specs else None)

    def _take_snapshot(self) -> None:
        self._snapshot = self._source()
        self._draw()

    def _draw(self) -> None:
        snapshot, (columns, lines) = self._snapshot, self.size
        problems = len(snapshot.problems) + sum(len(one.problems) for one in snapshot.specs)
        result = folded(self._result_text, columns, MAX_RESULT_LINES) or [""]
        layout = plan_layout(lines, len(snapshot.specs), problems, len(result))
        panes = self._panes
        panes["heading"].show(heading(snapshot, columns))
        panes["problems"].show(problem_lines(snapshot, columns, layout.problems), layout.problems)
        one = self._selected
        self._selected_name = one.name if one else ""
        self._table.show(snapshot.specs, self._selected_name, columns, layout.table)
        self._draw_detail(one, columns, layout)
        self._draw_log(one, columns, layout)
        panes["result"].show(Text("\n".join(result), self._result_style, no_wrap=True), len(result))
        panes["keys"].show(last_line(columns))

    def _draw_detail(self, one: SpecSnapshot | None, columns: int, layout: Layout) -> None:
        if one and self._marked not in {worker.name for worker in one.workers}:
            self._marked = None
        shown = layout.detail if one else 0
        self._panes["title"].show(_title(one.name if one else "", columns), min(shown, 1))
        text = detail(one, self._marked, columns, shown - 1) if one and shown else Text()
        self._panes["detail"].show(text, max(shown - 1, 0))

    def _draw_log(self, one: SpecSnapshot | None, columns: int, layout: Layout) -> None:
        only = one.name if one and self._filtered else None
        title = f"log of {only}" if only else "log"
        title += "" if self._log_pane.following else ", paused: press End to follow"
        self._panes["log-title"].show(_title(title, columns), min(layout.log, 1))
        self._log_pane.show(
            self._snapshot.log, [*(one.name for one in self._snapshot.specs), "janitor"], only, max(layout.log - 1, 0)
        )

    # Actions

    def action_choose(self, by: int) -> None:
        """Select the next or previous spec."""
        # Select by name, and at once: the next key may come before the next redraw.
        names, one = [spec.name for spec in self._snapshot.specs], self._selected
        if one:
            self._selected_name = names[min(max(names.index(one.name) + by, 0), len(names) - 1)]
            self._marked = None
            self._draw()

    def action_mark(self, by: int) -> None:
        """Mark the next worker; there is an unmarked position before the first."""
        one = self._selected
        if one:
            names = [None, *(worker.name for worker in one.workers)]
            self._marked = names[(names.index(self._marked) + by) % len(names)] if self._marked in names else None
            self._draw()

    def action_filter(self) -> None:
        """Show the log of the selected spec, or of all."""
        self._filtered = not self._filtered
        self._draw()

    def action_scroll(self, by: int) -> None:
        """Scroll the log by a page."""
        self._log_pane.page(by)
        self._draw()

    def action_follow(self) -> None:
        """Follow the end of the log."""
        self._log_pane.follow()
        self._draw()

    def action_help(self) -> None:
        """Open the help."""
        self.push_screen(Help())

    def action_send(self, count: int) -> None:
        """Send messages to the selected spec."""
        self._for_selected(lambda one: self._control.send(one.name, count))

    def action_kill(self) -> None:
        """Kill a worker of the selected spec, without confirmation."""
        self._for_selected(lambda one: self._control.kill(one.name, self._marked))

    def action_pause(self) -> None:
        """Pause or resume the selected spec."""
        self._for_selected(lambda one: (self._control.resume if one.paused else self._control.pause)(one.name))

    def action_redis(self) -> None:
        """Stop or start Redis."""
        self._do(self._control.start_redis() if self._snapshot.redis.up is False else self._control.stop_redis())

    def _for_selected(self, action: Callable[[SpecSnapshot], Action]) -> None:
        one = self._selected
        if one:
            self._do(action(one), f"{one.name}: ")

    def _do(self, action: Action, prefix: str = "") -> None:
        self.run_worker(self._finish(action, prefix))

    async def _finish(self, action: Action, prefix: str) -> None:
        try:
            self._show_result(f"{prefix}{await action}")
        except CannotGoOn as error:
            self._show_result(f"{error.says}: {error.hint}" if error.hint else error.says, "bold red")
        except (RedisTrouble, OSError) as error:
            self._show_result(str(error), "bold red")
        self._take_snapshot()

    def _show_result(self, text: str, style: str = "") -> None:
        self._result_text, self._result_style = text, style


def _title(text: str, columns: int) -> Text:
    line = Text("── ", "dim", no_wrap=True).append(cut(text, max(columns - 7, 0)), "not dim bold")
    return line.append(f" {'─' * max(columns - line.cell_len - 1, 0)}", "dim")[: max(columns, 0)]
