"""The content of the screen: everything important fits 80x24, and no content breaks a window of any size."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from dev_snapshots import CLUSTERING, DOWN, JOBS, LOG, NOON, SNAPSHOT, FakeControls
from headless_screen import HeadlessScreen
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from penstock_dev.screen import can_show
from penstock_dev.screen.detail import detail
from penstock_dev.screen.formatting import folded, safe
from penstock_dev.screen.heading import heading, problem_lines
from penstock_dev.screen.layout import FIXED, plan_layout
from penstock_dev.screen.log_lines import filter_log, render_prefix, render_text
from penstock_dev.screen.sparkline import sparkline
from penstock_dev.screen.table import fit_columns
from penstock_dev.snapshot import (
    HistoryPoint,
    Level,
    LogLine,
    RedisSnapshot,
    Snapshot,
    SpecSnapshot,
    WorkerSnapshot,
    WorkerState,
)

Show = Callable[..., None]
HOSTILE = "[bold red]x[/] [@click=app.quit]y[/] \x1b[31m\x1b]0;z\x07 \u202e\u200b\u0301 漢字🎉 {} %s \\"


def test_a_small_terminal_shows_everything(show: Show) -> None:
    """80x24: Redis, clock, all numbers, the selected spec's states, workers and decision, log, keys."""

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("down")
        assert await shown.until_shows("── media-cluster") == SMALL.strip("\n").splitlines()

    show(play)


SMALL = """
penstock dev   Redis up 3m12s   10x   127.0.0.1:41231
  spec           backlog  oldest  replicas   dead  done/s     p95         recent
  agent-queue          5    1.4s         2      0     0.8    6.4s  ▇▆█▆▅▄▆▅▇▆█▆▅
  media-cluster      904     37s       6→8      2      42   840ms  ▄▅▇██▇▇▇▇▆▆▆▅
  tankpit-jobs         0       -         1      0       0       -  ▁████▄▄▄▄▁▁▁▁
── media-cluster ───────────────────────────────────────────────────────────────
new 842  running 62  ready 0  suspect 1  parked 3  delayed 0  dead 2
replicas 6 of 8 wanted, 0 to 20  done/s 42  p50 310ms  p95 840ms  ▁▁▂▂▂▃▃▃▆▆▆███
HPA: 904 / 32 -> 29, scale-up limited by policy
 dev-1~4jm84934 48211 ready 16 52s    dev-2~t8w10c5z 48212 ready 16 40s
 dev-3~0q2vd7ks 48213 ready 15 28s    dev-4~xk39fa1e 48214 ready 15 16s
 dev-5~m6ty2h0p 48215 starting 0.6s   dev-6~e1r7zu5b 48216 starting 0.6s
── log ─────────────────────────────────────────────────────────────────────────
11:59:21 I media-cluster dev-1~4jm84934 Joined as consumer dev-1~4jm84934
11:59:36 I media-cluster HPA: 1310 / 32 -> 41, scale-up limited by policy
11:59:43 W media-cluster dev-1~4jm84934 The message cannot be read  reason=json
11:59:51 I media-cluster HPA: 1090 / 32 -> 35, scale-up limited by policy
11:59:54 I agent-queue   dev-2~t8w10c5z resumed  agent_id=agent-91ab20
11:59:56 E media-cluster dev-3~0q2vd7ks The message is dead: it will not be
           retried  reason=failed  attempts=5
11:59:59 I media-cluster killed dev-2~b5nd6r8c (pid 48198)
12:00:00 I media-cluster HPA: 904 / 32 -> 29, scale-up limited by policy

s send  b burst  k kill -9  r Redis  p pause  f log  ? help  q quit
"""


def test_unknown_redis_is_not_shown_as_down(show: Show) -> None:
    """Before the first connection its state is unknown."""

    async def play(shown: HeadlessScreen) -> None:
        shown.controls.snapshot = replace(SNAPSHOT, redis=RedisSnapshot("127.0.0.1:41231", up=None, since=0.4))
        lines = await shown.until_shows("connecting to Redis")
        assert "DOWN" not in "\n".join(lines)

    show(play)


def test_the_janitor_has_its_name_in_the_log(show: Show) -> None:
    """Even if all pipelines have shorter names."""

    async def play(shown: HeadlessScreen) -> None:
        short = replace(JOBS, name="jobs")
        line = LogLine(11, NOON, Level.INFO, "Became leader", "janitor", "janitor-1")
        shown.controls.snapshot = replace(SNAPSHOT, specs=(short,), log=(line,))
        await shown.until_shows("janitor janitor-1 Became leader")

    show(play)


def test_redis_that_is_down_is_shown(show: Show) -> None:
    """In the first line, and by `-` for unknown numbers; the numbers return with it."""

    async def play(shown: HeadlessScreen) -> None:
        shown.controls.snapshot = DOWN
        lines = await shown.until_shows("Redis DOWN for 12s")
        assert "! agent-queue: Redis is unreachable" in lines
        assert "! media-cluster        -       -       6→8      -       -   840ms" in "\n".join(lines)
        shown.controls.snapshot = SNAPSHOT
        assert "DOWN" not in "\n".join(await shown.until_shows("Redis up 3m12s"))

    show(play)


def test_problems_are_shown_with_their_spec(show: Show) -> None:
    """An invalid spec, a handler that cannot be imported; those that do not fit are counted."""
    broken = [replace(one, problems=("one thing", "another")) for one in SNAPSHOT.specs]
    controls = FakeControls(
        replace(SNAPSHOT, specs=tuple(broken), problems=("`penstock.yaml` is invalid; the last valid one counts",))
    )

    async def play(shown: HeadlessScreen) -> None:
        lines = shown.lines
        assert lines[1] == "! `penstock.yaml` is invalid; the last valid one counts"
        assert lines[2:4] == ["! agent-queue: one thing", "! and 5 more; `--plain` lists all"]
        assert "! one thing" in lines
        assert "! another" in lines

    show(play, controls)


def test_paused_scaling_is_shown(show: Show) -> None:
    """In the table and beside the replicas."""
    controls = FakeControls(replace(SNAPSHOT, specs=(replace(CLUSTERING, paused=True),)))

    async def play(shown: HeadlessScreen) -> None:
        text = "\n".join(shown.lines)
        assert "P media-cluster" in text
        assert "replicas 6 of 8 wanted, 0 to 20, scaling is paused" in text

    show(play, controls)


@pytest.mark.parametrize(
    "size", [(1, 1), (3, 2), (10, 3), (20, 6), (40, 12), (60, 15), (80, 24), (132, 50), (300, 100)]
)
def test_every_window_size_is_drawn(show: Show, size: tuple[int, int]) -> None:
    """Also after a resize to it and back."""

    async def play(shown: HeadlessScreen) -> None:
        before = shown.lines
        await shown.pilot.resize_terminal(*size)
        await shown.until(lambda lines: len(lines) == size[1])
        assert max(map(cell_len, shown.lines)) <= size[0]
        await shown.press("down", "s", "question_mark", "x", "up")
        await shown.pilot.resize_terminal(80, 24)
        assert len(shown.controls.calls) == 1
        await shown.until(lambda lines: lines[:-2] == before[:-2])

    show(play)


@pytest.mark.parametrize("size", [(40, 10), (60, 12), (30, 24)])
def test_a_narrow_window_keeps_names_backlog_and_keys(show: Show, size: tuple[int, int]) -> None:
    """Columns go from the right, and the words of keys before the keys."""

    async def play(shown: HeadlessScreen) -> None:
        lines = shown.lines
        assert lines[0].startswith("penstock dev   Redis up 3m12s")
        [row] = [line for line in lines if line.startswith("  media-")]
        assert row.split()[1] == "904"
        assert "q" in lines[-1].split()

    show(play, size=size)


def test_the_selected_row_of_many_is_visible(show: Show) -> None:
    """With more pipelines than lines; the log keeps its place."""
    controls = FakeControls(
        replace(SNAPSHOT, specs=tuple(replace(JOBS, name=f"jobs-{number:02}") for number in range(60)))
    )

    async def play(shown: HeadlessScreen) -> None:
        await shown.press(*["down"] * 40)
        text = "\n".join(await shown.until_shows("  jobs-40"))
        assert "── jobs-40 ─" in text
        assert "── log ─" in text
        assert "HPA: 904 / 32" in text

    show(play, controls)


@pytest.mark.parametrize("size", [(80, 24), (24, 8)])
def test_names_and_log_lines_cannot_control_the_terminal(show: Show, size: tuple[int, int]) -> None:
    """Markup, escapes, bidirectional and zero-width characters are made visible; wide ones fit."""
    worker = WorkerSnapshot(HOSTILE * 3, 1, WorkerState.READY, 3)
    spec = SpecSnapshot(
        HOSTILE * 9, workers=(worker,) * 30, wanted=30, decision=HOSTILE * 30, problems=(HOSTILE * 9,),
        numbers=((HOSTILE, 3),), history=(HistoryPoint(None, 0),) * 100,
    )  # fmt: skip
    log = [LogLine(number, number * 1e30, Level.ERROR, HOSTILE * 90, HOSTILE, HOSTILE) for number in range(50)]
    controls = FakeControls(
        Snapshot(replace(SNAPSHOT.redis, address=HOSTILE), 10, (spec, JOBS), tuple(log), (HOSTILE,))
    )

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("right", "s", "f", "down", "f")
        lines = await shown.until(lambda lines: "jobs" in "".join(lines))
        assert max(map(cell_len, lines)) <= size[0]
        assert not {"\x1b", "\x07", "\u202e", "\u200b"} & set("".join(lines))
        assert "[bold" in "".join(lines)

    show(play, controls, size)


def test_the_selection_survives_added_and_removed_specs(show: Show) -> None:
    """If the selected spec is removed, another one is selected."""

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("down")
        shown.controls.snapshot = replace(SNAPSHOT, specs=(replace(JOBS, name="aaa"), *SNAPSHOT.specs))
        await shown.until_shows("  aaa")
        await shown.press("s")
        shown.controls.snapshot = replace(SNAPSHOT, specs=(JOBS,))
        await shown.until(lambda lines: "media-cluster  " not in "\n".join(lines[:5]))
        await shown.press("s")
        shown.controls.snapshot = replace(SNAPSHOT, specs=())
        await shown.until(lambda lines: "tankpit-jobs  " not in "\n".join(lines))
        await shown.press("s", "k", "p", "right")
        assert [call[1] for call in shown.controls.calls] == ["media-cluster", "tankpit-jobs"]

    show(play)


@pytest.mark.parametrize(
    ("values", "columns", "curve"),
    [
        ([], 3, "   "),
        ([0, 0], 3, " ▁▁"),
        ([1, 1000], 2, "▂█"),
        ([1, 2, 3, 4, 5, 6, 7], 7, "▂▃▄▅▆▇█"),
        ([9, 0, None, 9], 3, "▁ █"),
        ([1], 0, ""),
    ],
)
def test_a_sparkline_distinguishes_zero_from_little(values: list[int | None], columns: int, curve: str) -> None:
    """The newest value is at the right; one message is visible beside a thousand."""
    assert sparkline(values, columns) == curve


sizes = st.integers(0, 120)


@given(lines=sizes, specs=st.integers(0, 80), problems=st.integers(0, 30), result=st.integers(1, 3))
def test_every_line_of_the_window_is_used_once(lines: int, specs: int, problems: int, result: int) -> None:
    """The panes together fill the window."""
    layout = plan_layout(lines, specs, problems, result)
    panes = [layout.problems, layout.table, layout.detail, layout.log]
    assert min(panes) >= 0
    assert sum(panes) <= max(lines - FIXED - result, 0)
    if lines >= 24 and problems <= 3:
        assert layout.table >= min(specs + 1, 4)
        assert min(layout.detail, layout.log) >= 3


states = st.sampled_from(WorkerState)
texts = st.text(max_size=80)
spans = st.none() | st.floats(0, 1e9)
counts = st.none() | st.integers(0, 10**12)
spec_snapshots = st.builds(
    SpecSnapshot, texts, numbers=st.lists(st.tuples(texts, counts), max_size=8).map(tuple), backlog=counts,
    oldest=spans,
    dead=counts, done=spans, p50=spans, p95=spans, wanted=st.integers(0, 999), paused=st.booleans(), decision=texts,
    problems=st.lists(texts, max_size=2).map(tuple),
    workers=st.lists(st.builds(WorkerSnapshot, texts, st.integers(0, 2**22), states, counts), max_size=9).map(tuple),
    history=st.lists(st.builds(HistoryPoint, counts, st.integers(0, 99)), max_size=60).map(tuple),
)  # fmt: skip
log_lines = st.builds(LogLine, st.integers(0), st.floats(), st.sampled_from(Level), texts, texts, texts)


@given(specs=st.lists(spec_snapshots, min_size=1, max_size=3), columns=st.integers(20, 200), lines=st.integers(1, 9))
def test_no_line_is_wider_than_the_window(specs: list[SpecSnapshot], columns: int, lines: int) -> None:
    """For any content."""
    fits = fit_columns(specs, columns)
    snapshot = replace(SNAPSHOT, specs=tuple(specs))
    rows = [sum(cell.cell_len + 2 for cell in fits.row(one)) - 2 for one in specs]
    assert max([*rows, sum(wide + 2 for _, wide in fits.headings) - 2]) <= columns
    for text in (
        heading(snapshot, columns),
        problem_lines(snapshot, columns, 3),
        detail(specs[0], None, columns, lines),
    ):
        assert max(map(cell_len, text.plain.split("\n"))) <= columns
    assert len(detail(specs[0], None, columns, lines).plain.split("\n")) <= lines


@pytest.mark.parametrize(
    ("term", "shows"), [("xterm-256color", True), ("screen", True), ("linux", True), ("dumb", False), ("", False)]
)
def test_the_screen_needs_a_capable_terminal(term: str, *, shows: bool) -> None:
    """On all of its streams, some of which may be closed."""
    ours, theirs = os.openpty()
    with os.fdopen(ours), os.fdopen(theirs, "r") as terminal, io.StringIO() as file:
        assert can_show({"TERM": term}, terminal, terminal) is shows
        assert not can_show({"TERM": term}, terminal, file)
        assert not can_show({"TERM": term}, terminal, None)
        assert not can_show({}, terminal, terminal)


@given(line=log_lines, names=st.integers(0, 30))
def test_a_log_line_is_one_printable_line(line: LogLine, names: int) -> None:
    """No character in it ends the line, moves the cursor or hides."""
    assert render_prefix(line, None).append_text(render_text(line, names)).plain.isprintable()


@given(text=st.text(max_size=200), columns=st.integers(3, 60))
def test_wrapping_loses_no_letter(text: str, columns: int) -> None:
    """Only the blanks at line ends are lost; wide characters are not cut in half."""
    lines = folded(text, columns, 2000)
    assert "".join("".join(lines).split()) == "".join(safe(text).split())
    assert max(map(cell_len, lines), default=0) <= columns


def test_the_log_of_one_spec_includes_lines_without_a_spec() -> None:
    of_all = LogLine(11, 0, Level.INFO, "stopped Redis")
    assert [line.number for line in filter_log([*LOG, of_all], "agent-queue")] == [7, 11]
    assert len(filter_log(LOG, None)) == len(LOG)


def test_a_flood_of_log_lines_is_counted(show: Show) -> None:
    """A chatty handler does not block the autoscaler. The last lines are shown."""
    lines = tuple(LogLine(number, NOON, Level.INFO, f"line {number}.") for number in range(400))

    async def play(shown: HeadlessScreen) -> None:
        await shown.until_shows("line 399.")
        await shown.press(*["pageup"] * 40)
        assert "line 250." in "\n".join(await shown.until_shows("(250 more lines)"))

    show(play, FakeControls(replace(SNAPSHOT, log=lines)))


def test_the_marked_worker_is_visible_among_many() -> None:
    """Even if there are few lines for workers."""
    many: Any = tuple(WorkerSnapshot(f"worker-{number}", number, WorkerState.READY) for number in range(40))
    one = replace(CLUSTERING, workers=many)
    assert "▸worker-33" in detail(one, "worker-33", 80, 6).plain
    assert "+ 31 more" in detail(one, None, 80, 6).plain
