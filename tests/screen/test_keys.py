"""Keys do what the help says to the selected spec, and failures are shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from dev_snapshots import CLUSTERING, DOWN, LOG, NOON, SNAPSHOT, FakeControls
from headless_screen import HeadlessScreen
from textual import events

from penstock.wire.errors import Absent
from penstock_dev.screen.keys import KEYS
from penstock_dev.snapshot import Level, LogLine
from penstock_spec.findings import CannotGoOn

Show = Callable[..., None]


@pytest.mark.parametrize(
    ("keys", "calls"),
    [
        ("s", [("send", "agent-queue", 1)]),
        ("b", [("send", "agent-queue", 100)]),
        ("B", [("send", "agent-queue", 1000)]),
        ("down s", [("send", "media-cluster", 1)]),
        ("down down down up s", [("send", "media-cluster", 1)]),
        ("up k", [("kill", "agent-queue", None)]),
        ("right k", [("kill", "agent-queue", "dev-1~4jm84934")]),
        ("left k", [("kill", "agent-queue", "dev-2~t8w10c5z")]),
        ("right right right k", [("kill", "agent-queue", None)]),
        ("right down k", [("kill", "media-cluster", None)]),
        ("p", [("pause", "agent-queue")]),
        ("r", [("stop_redis",)]),
        ("x enter tab space", []),
    ],
)
def test_keys_act_on_the_selected_spec(show: Show, keys: str, calls: list[tuple[object, ...]]) -> None:
    """They act at once, without confirmation, and show the result."""

    async def play(shown: HeadlessScreen) -> None:
        await shown.press(*keys.split())
        assert shown.controls.calls == calls
        if calls:
            await shown.until_shows(f"did {' '.join(map(str, calls[-1]))}")

    show(play)


def test_fast_keys_act_on_the_selection_of_their_moment(show: Show) -> None:
    """Even without a redraw in between, no worker of another pipeline is killed."""

    async def play(shown: HeadlessScreen) -> None:
        for key in ("down", "k", "right", "k", "down", "k"):
            shown.app.post_message(events.Key(key, None))
        await shown.until(lambda _: len(shown.controls.calls) == 3)
        assert [call[1:] for call in shown.controls.calls] == [
            ("media-cluster", None), ("media-cluster", "dev-1~4jm84934"), ("tankpit-jobs", None),
        ]  # fmt: skip

    show(play)


def test_one_key_stops_and_starts(show: Show) -> None:
    """Redis, and scaling."""

    async def play(shown: HeadlessScreen) -> None:
        shown.controls.snapshot = replace(DOWN, specs=tuple(replace(one, paused=True) for one in DOWN.specs))
        await shown.until_shows("DOWN")
        await shown.press("r", "p")
        assert shown.controls.calls == [("start_redis",), ("resume", "agent-queue")]

    show(play)


@pytest.mark.parametrize(
    ("error", "shown_text"),
    [
        (CannotGoOn("`penstock dev` did not start this Redis", "stop it where it runs"),
         "`penstock dev` did not start this Redis: stop it where it runs"),
        (CannotGoOn("there is no worker"), "there is no worker"),
        (Absent("no connection to 127.0.0.1:41231"), "no connection to 127.0.0.1:41231"),
    ],
)  # fmt: skip
def test_a_failed_action_shows_its_error(show: Show, error: Exception, shown_text: str) -> None:
    """With the hint, if there is one. The screen continues."""

    async def play(shown: HeadlessScreen) -> None:
        shown.controls.raises = error
        await shown.press("k")
        await shown.until(lambda lines: lines[-2] == shown_text)
        shown.controls.raises = None
        await shown.press("s")
        await shown.until(lambda lines: lines[-2] == "agent-queue: did send agent-queue 1")

    show(play)


def test_a_long_result_takes_lines_from_the_log(show: Show) -> None:

    async def play(shown: HeadlessScreen) -> None:
        shown.controls.raises = CannotGoOn("one word after another " * 6 + "until the end")
        await shown.press("s")
        lines = await shown.until_shows("until the end")
        assert lines[-3].startswith("one word after another")
        assert lines[-1].startswith("s send")

    show(play)


def test_the_help_lists_every_key_and_runs_none(show: Show) -> None:
    """Any key closes the help and does nothing else."""

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("question_mark")
        lines = await shown.until_shows("Press any key to close.")
        for key in KEYS:
            assert re.search(rf"│ {re.escape(key.shown)} +{re.escape(key.help)} ", "\n".join(lines)), key
        await shown.press("k")
        await shown.until_shows("── agent-queue")
        assert shown.controls.calls == []
        await shown.press("k")
        assert shown.controls.calls == [("kill", "agent-queue", None)]

    show(play)


def test_a_long_help_can_be_scrolled(show: Show) -> None:
    """In a small window, the scroll keys scroll it and do not close it."""

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("question_mark", "pagedown", "down", "end")
        await shown.until_shows("Press any key to close.")
        await shown.press("home")
        await shown.until_shows("! problem")
        await shown.press("escape")
        await shown.until_shows("── agent-queue")
        assert shown.controls.calls == []

    show(play, size=(40, 10))


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
def test_quitting_closes_the_screen_without_an_action(show: Show, key: str) -> None:
    """The caller stops the processes."""

    async def play(shown: HeadlessScreen) -> None:
        await shown.press(key)
        assert shown.app.return_code == 0
        assert shown.controls.calls == []

    show(play)


def test_the_log_is_of_all_or_of_the_selected_spec(show: Show) -> None:
    """The filter follows the selection."""
    controls = FakeControls(replace(SNAPSHOT, log=(*LOG, LogLine(11, NOON, Level.INFO, "stopped Redis"))))

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("f")
        text = "\n".join(await shown.until_shows("── log of agent-queue ─"))
        assert "resumed  agent_id" in text
        assert "stopped Redis" in text
        assert "HPA: 904" not in text
        await shown.press("down")
        text = "\n".join(await shown.until_shows("── log of media-cluster ─"))
        assert "HPA: 904 / 32" in text
        assert "resumed  agent_id" not in text
        await shown.press("f")
        await shown.until_shows("resumed  agent_id")

    show(play, controls)


def test_the_log_follows_its_end_unless_scrolled_back(show: Show) -> None:
    """New lines do not move a scrolled log. `End`, or scrolling to the end, follows again."""
    lines = [LogLine(number, NOON, Level.INFO, f"line {number}.") for number in range(100)]
    controls = FakeControls(replace(SNAPSHOT, log=tuple(lines)))

    async def play(shown: HeadlessScreen) -> None:
        await shown.until_shows("line 99.")
        await shown.press("pageup", "pageup", "pagedown")
        await shown.until_shows("log, paused: press End to follow")
        before = [line for line in shown.lines if " line " in line]
        lines.append(LogLine(100, NOON, Level.INFO, "line 100."))
        shown.controls.snapshot = replace(SNAPSHOT, log=tuple(lines), specs=(CLUSTERING, *SNAPSHOT.specs[::2]))
        await shown.until(lambda snapshot: snapshot[2].startswith("  media-cluster"))
        assert [line for line in shown.lines if " line " in line] == before
        await shown.press("end")
        await shown.until_shows("line 100.")
        await shown.press("pageup", "pagedown", "pagedown")
        lines.append(LogLine(101, NOON, Level.INFO, "line 101."))
        shown.controls.snapshot = replace(SNAPSHOT, log=tuple(lines))
        await shown.until_shows("line 101.")

    show(play, controls)


def test_each_log_line_is_written_once(show: Show) -> None:
    """Even if it is in many snapshots."""

    async def play(shown: HeadlessScreen) -> None:
        reads = shown.controls.reads + 5
        await shown.until(lambda _: shown.controls.reads > reads)
        assert sum(LOG[-1].text in line for line in shown.lines) == 1

    show(play)


def test_the_docs_list_every_key(root: Path) -> None:
    """With the words of the help, in its order."""
    page = (root / "docs/how-to/dev-screen.md").read_text()
    assert re.findall(r"^\| `(.+?)` \| (.+?) \|$", page, re.MULTILINE) == [(key.shown, key.help) for key in KEYS]
