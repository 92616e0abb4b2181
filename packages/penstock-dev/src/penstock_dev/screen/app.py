"""The screen itself: panes that are drawn anew where something changed, and keys that are handed on."""

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

MOST_DID = 3
"""Lines of what a key did."""
INTERVAL = 0.5
"""Seconds between two looks."""

Doing = Coroutine[None, None, str]


class Pane(Static):
    """Letters that are drawn anew only when they are others: a line far away is not to carry what is known."""

    def __init__(self, name: str) -> None:
        """Empty."""
        super().__init__("", id=name, markup=False)
        self.shown = Text()

    def show(self, text: Text, lines: int = 1) -> None:
        """In so many lines; with none it is not there."""
        self.display = lines > 0
        self.styles.height = lines
        if text != self.shown or text.spans != self.shown.spans:
            self.shown = text
            self.update(text)


class DevScreen(App[None]):
    """Until `q`."""

    CSS_PATH = "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "penstock dev"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(key.keys), key.action, key.says, priority=True, show=False) for key in KEYS
    ]

    def __init__(
        self, source: SnapshotSource, control: Control, *, every: float = INTERVAL, zone: tzinfo | None = None
    ) -> None:
        """Looks every so many seconds; times are shown in this zone, or in that of the machine."""
        # The terminal's own colours on its own background, which may well be a light one. Said now and not only by the
        # theme: without it NO_COLOR would become shades of grey.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.animation_level = "none"
        self._source = source
        self._control = control
        self._every = every
        self._snapshot = source()
        self._chosen_name = ""
        self._marked: str | None = None
        self._filtered = False
        self._did, self._did_style = "", ""
        self.broken: BaseException | None = None
        """What ended it that nobody had thought of."""
        self._panes = {
            name: Pane(name) for name in ("heading", "trouble", "title", "detail", "log-title", "did", "keys")
        }
        self._table = SpecTable()
        self._logged = LogPane(zone)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        panes = self._panes
        yield from (panes["heading"], panes["trouble"], self._table, panes["title"], panes["detail"])
        yield from (panes["log-title"], self._logged, panes["did"], panes["keys"])

    def on_mount(self) -> None:
        """Look now, and again and again."""
        self._look()
        self.set_interval(self._every, self._look)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """While help is shown, every key is its own: whoever reads what `k` does has not asked for it."""
        del action, parameters
        return not isinstance(self.screen, Help)

    def on_resize(self, event: Resize) -> None:
        """Everything has another width."""
        del event
        self.call_later(self._draw)

    def _handle_exception(self, error: Exception) -> None:
        """Whoever shows it is told, once the terminal is as it was."""
        self.broken = self.broken or (error.error if isinstance(error, WorkerFailed) else error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """As Textual does it, without its traceback."""
        self._close_messages_no_wait()

    # What is shown

    @property
    def _chosen(self) -> SpecSnapshot | None:
        specs = self._snapshot.specs
        return next((one for one in specs if one.name == self._chosen_name), specs[0] if specs else None)

    def _look(self) -> None:
        self._snapshot = self._source()
        self._draw()

    def _draw(self) -> None:
        snapshot, (columns, lines) = self._snapshot, self.size
        wrong = len(snapshot.problems) + sum(len(one.problems) for one in snapshot.specs)
        did = folded(self._did, columns, MOST_DID) or [""]
        layout = plan_layout(lines, len(snapshot.specs), wrong, len(did))
        panes = self._panes
        panes["heading"].show(heading(snapshot, columns))
        panes["trouble"].show(problem_lines(snapshot, columns, layout.problems), layout.problems)
        one = self._chosen
        self._chosen_name = one.name if one else ""
        self._table.show(snapshot.specs, self._chosen_name, columns, layout.table)
        self._draw_detail(one, columns, layout)
        self._draw_log(one, columns, layout)
        panes["did"].show(Text("\n".join(did), self._did_style, no_wrap=True), len(did))
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
        title += "" if self._logged.following else ", not followed: End goes on"
        self._panes["log-title"].show(_title(title, columns), min(layout.log, 1))
        self._logged.show(
            self._snapshot.log, [*(one.name for one in self._snapshot.specs), "janitor"], only, max(layout.log - 1, 0)
        )

    # What keys do

    def action_choose(self, by: int) -> None:
        """The next one below, or above."""
        # By the name, and now: the key that comes next, before anything is drawn, is meant for this one.
        names, one = [spec.name for spec in self._snapshot.specs], self._chosen
        if one:
            self._chosen_name = names[min(max(names.index(one.name) + by, 0), len(names) - 1)]
            self._marked = None
            self._draw()

    def action_mark(self, by: int) -> None:
        """The next worker; before the first and after the last one none is marked."""
        one = self._chosen
        if one:
            names = [None, *(worker.name for worker in one.workers)]
            self._marked = names[(names.index(self._marked) + by) % len(names)] if self._marked in names else None
            self._draw()

    def action_filter(self) -> None:
        """One's log, or all."""
        self._filtered = not self._filtered
        self._draw()

    def action_scroll(self, by: int) -> None:
        """A page of the log."""
        self._logged.page(by)
        self._draw()

    def action_follow(self) -> None:
        """The end of the log, and what will be there."""
        self._logged.follow()
        self._draw()

    def action_help(self) -> None:
        """Over everything else."""
        self.push_screen(Help())

    def action_send(self, count: int) -> None:
        """To the chosen one."""
        self._on_chosen(lambda one: self._control.send(one.name, count))

    def action_kill(self) -> None:
        """Without asking: it is what this is for."""
        self._on_chosen(lambda one: self._control.kill(one.name, self._marked))

    def action_pause(self) -> None:
        """Or resume."""
        self._on_chosen(lambda one: (self._control.resume if one.paused else self._control.pause)(one.name))

    def action_redis(self) -> None:
        """Stop or start it."""
        self._do(self._control.start_redis() if self._snapshot.redis.up is False else self._control.stop_redis())

    def _on_chosen(self, does: Callable[[SpecSnapshot], Doing]) -> None:
        one = self._chosen
        if one:
            self._do(does(one), f"{one.name}: ")

    def _do(self, what: Doing, about: str = "") -> None:
        self.run_worker(self._done(what, about))

    async def _done(self, what: Doing, about: str) -> None:
        try:
            self._tell(f"{about}{await what}")
        except CannotGoOn as why:
            self._tell(f"{why.says}: {why.hint}" if why.hint else why.says, "bold red")
        except (RedisTrouble, OSError) as problems:
            self._tell(str(problems), "bold red")
        self._look()

    def _tell(self, says: str, style: str = "") -> None:
        self._did, self._did_style = says, style


def _title(text: str, columns: int) -> Text:
    line = Text("── ", "dim", no_wrap=True).append(cut(text, max(columns - 7, 0)), "not dim bold")
    return line.append(f" {'─' * max(columns - line.cell_len - 1, 0)}", "dim")[: max(columns, 0)]
