"""`penstock dev` in a real terminal: its content, its keys on real processes, and the terminal after it."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import ledger
import pytest
from child_processes import is_alive
from dev_session import Laptop, marked, workers
from raw_client import RawClient
from servers import wait_for
from terminal import PROMPT, Terminal

pytestmark = pytest.mark.needs("tmux")

SPEC = "work: {lease: 10s}\nscaling: {replicas: {min: 1, max: 2}}"
KEYS = "s send  b burst  k kill -9  r Redis  p pause  f log  ? help  q quit"


@dataclass(frozen=True)
class OnScreen:
    """`penstock dev` in a terminal, in a repository."""

    laptop: Laptop
    terminal: Terminal
    mark: str
    servers: list[int] = field(default_factory=list)
    """Pids of Redis; a mark in the environment does not work, as Redis overwrites it."""
    ports: list[int] = field(default_factory=list)

    @property
    def done(self) -> int:
        """Messages whose handlers have ended."""
        return len({line.message for line in ledger.read(self.laptop.ledger) if line.what == "end"})

    def begin(self, redirected: str = "", **environ: str) -> OnScreen:
        """Start it from the shell."""
        given = {**self.laptop.environ(self.mark), **environ}
        words = ["exec", "env", *(f"{name}={value}" for name, value in given.items())]
        script = shlex.join([*words, sys.executable, "-m", "penstock", "dev", "trial", "--env", "dev"])
        (self.laptop.folder / "begin.log").write_text(script)
        self.terminal.type(f"sh begin.log {redirected}".strip())
        return self

    def until_ready(self) -> OnScreen:
        """Wait for one ready worker, and for Redis."""
        ready = r"Redis up .*127\.0\.0\.1:(\d+).*replicas 1 of 1 wanted.* \d+ ready "
        shown = self.terminal.until(lambda text: re.search(ready, text, re.DOTALL), "a worker")
        [port] = re.findall(ready, shown, re.DOTALL)
        self.ports.append(int(port))
        self.server()
        return self

    def server(self) -> int:
        """Remember the pid of Redis, which must not survive either."""
        with closing(RawClient("127.0.0.1", self.ports[-1])) as redis:
            info = redis.ask("INFO", "server")
        pid = int(re.findall(r"process_id:(\d+)", str(info))[0])
        self.servers.append(pid)
        return pid

    def until_done(self, count: int) -> None:
        """Wait until exactly this many messages are done."""
        wait_for(lambda: self.done >= count, f"{count} messages are done")
        assert self.done == count

    def until_all_ended(self) -> None:
        """Wait until no process is left."""
        wait_for(lambda: not marked(self.mark), "no process is left")
        wait_for(lambda: not any(map(is_alive, self.servers)), "no Redis is left")


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[OnScreen]:
    """A shell in a small terminal. At the end no process may be left."""
    with Laptop(tmp_path, spec=SPEC) as laptop, Terminal(tmp_path) as terminal:
        one = OnScreen(laptop, terminal, uuid.uuid4().hex)
        yield one
    one.until_all_ended()


def test_messages_are_sent_and_done(screen: OnScreen) -> None:
    """At 80x24, with a pipeline, its worker, the log and the keys; a key sends messages, and they are done."""
    shown = screen.begin().until_ready().terminal.lines()
    assert " ".join(shown[1].split()) == "spec backlog oldest replicas dead done/s p95 recent backlog"
    assert re.fullmatch(r"  trial +0 +- +1 +0 +\S+ +-.*", shown[2])
    assert shown[3].startswith("── trial ─")
    assert any(line.startswith("── log ─") for line in shown)
    assert shown[-1] == KEYS

    screen.terminal.press("s")
    screen.terminal.until_shows("sent 1 message")
    screen.until_done(1)
    screen.terminal.press("b")
    screen.until_done(101)
    screen.terminal.until_shows("sent 100 messages")


def test_a_killed_worker_is_replaced(screen: OnScreen) -> None:
    """The replacement runs new messages; the log reports both."""
    screen.begin().until_ready()
    [before] = workers(screen.mark)
    screen.terminal.press("k")
    screen.terminal.until_shows(f"(pid {before})")
    wait_for(lambda: workers(screen.mark) not in ([], [before]), "another worker is there")
    [after] = workers(screen.mark)
    screen.terminal.until_shows(f" {after} ready")
    screen.terminal.press("s")
    screen.until_done(1)


def test_redis_can_be_stopped_and_started(screen: OnScreen) -> None:
    """The screen shows it and continues; Redis keeps its data, and the work continues."""
    screen.begin().until_ready()
    screen.terminal.press("s")
    screen.until_done(1)
    screen.terminal.press("r")
    screen.terminal.until_shows("Redis DOWN")
    screen.terminal.press("s", "p")
    screen.terminal.until_shows("scaling is paused")
    screen.terminal.press("p", "r")
    screen.terminal.until_shows("Redis up")
    screen.terminal.press("s")
    wait_for(lambda: screen.done >= 2, "the new message is done")


def test_a_killed_redis_is_restarted(screen: OnScreen) -> None:
    """The log reports it, and the work continues."""
    screen.begin().until_ready()
    before = screen.server()
    os.kill(before, signal.SIGKILL)
    screen.terminal.until_shows("Redis exited; restarting it")
    wait_for(lambda: screen.server() != before, "another one runs")
    screen.terminal.until_shows("Redis up")
    screen.terminal.press("s")
    screen.until_done(1)


def test_the_window_can_be_resized(screen: OnScreen) -> None:
    """To small and large sizes, whatever size the shell exports."""
    screen.begin(COLUMNS="80", LINES="24").until_ready()
    screen.terminal.resize(40, 10)
    screen.terminal.until(lambda text: text.rstrip().endswith("s b k r p f ? q"), "keys without words")
    assert "  trial" in "\n".join(screen.terminal.lines())
    screen.terminal.resize(3, 2)
    screen.terminal.resize(132, 43)
    screen.terminal.until(lambda text: text.rstrip().endswith(KEYS), "keys in the last line")
    assert screen.terminal.lines()[-1] == KEYS
    assert any("log" in line and len(line) == 132 for line in screen.terminal.lines())


@pytest.mark.parametrize("key", ["q", "C-c"])
def test_the_terminal_is_restored(screen: OnScreen, key: str) -> None:
    """Its content, the cursor and the keyboard; no process is left."""
    screen.terminal.type("echo before")
    screen.terminal.until(lambda text: "\nbefore\n" in text and text.rstrip().endswith(PROMPT), "output and a prompt")
    screen.begin().until_ready()
    assert screen.terminal.variable("alternate_on") == "1"
    assert screen.terminal.variable("mouse_any_flag") == "0"
    screen.terminal.press(key)
    screen.until_all_ended()
    screen.terminal.until(lambda text: text.rstrip().endswith(PROMPT), "a prompt")
    assert "\nbefore\n" in "\n".join(screen.terminal.lines())
    assert [screen.terminal.variable(one) for one in ("alternate_on", "cursor_flag", "mouse_any_flag")] == [
        "0",
        "1",
        "0",
    ]
    screen.terminal.type("echo $((6 * 7))")
    screen.terminal.until_shows("\n42\n")


def test_a_bug_restores_the_terminal(root: Path, tmp_path: Path) -> None:
    """The caller gets the exception; Textual prints no traceback."""
    with Terminal(tmp_path) as terminal:
        terminal.type(shlex.join((sys.executable, str(root / "tests/support/faulty_screen.py"))))
        terminal.until_shows(KEYS)
        terminal.press("s")
        shown = terminal.until_shows("raised: a fault of our own")
        assert [terminal.variable(one) for one in ("alternate_on", "cursor_flag", "mouse_any_flag")] == ["0", "1", "0"]
        assert "Traceback" not in shown
        assert "─" not in shown


def test_a_lost_connection_leaves_no_process(screen: OnScreen) -> None:
    """When the terminal is gone, everything stops."""
    screen.begin().until_ready()
    screen.terminal.hang_up()
    screen.until_all_ended()


def test_no_color_is_respected(screen: OnScreen) -> None:
    """With `NO_COLOR`, text is bold, dim or reversed instead of coloured."""
    screen.begin(NO_COLOR="1").until_ready()
    codes = {code for codes in re.findall(r"\x1b\[([\d;]*)m", screen.terminal.coloured()) for code in codes.split(";")}
    assert codes <= {"", "0", "1", "2", "7", "39", "49"}
    assert {"1", "7"} <= codes


@pytest.mark.parametrize(("redirected", "environ"), [("", {"TERM": "dumb"}), ("2>errors.log", {}), ("</dev/null", {})])
def test_other_terminals_get_plain_lines(screen: OnScreen, redirected: str, environ: dict[str, str]) -> None:
    """A terminal without cursor movement, and redirected streams."""
    screen.begin(redirected, **environ)
    screen.terminal.until(lambda text: re.search(r"trial: backlog 0 .* replicas 1/1", text), "numbers in a line")
    assert screen.terminal.variable("alternate_on") == "0"
    screen.terminal.press("C-c")
    screen.until_all_ended()
    screen.terminal.until(lambda text: text.rstrip().endswith(PROMPT), "a prompt")
    errors = screen.laptop.folder / "errors.log"
    assert not errors.exists() or "\x1b" not in errors.read_text()


def test_only_changes_are_written(root: Path, tmp_path: Path) -> None:
    """An unchanged pane is not sent again, which matters on a remote terminal."""
    looks, other, written = tmp_path / "looks", tmp_path / "other", tmp_path / "written"

    def look(more: int) -> None:
        now = looks.stat().st_size
        wait_for(lambda: looks.stat().st_size >= now + more, "the screen takes another snapshot")

    with Terminal(tmp_path) as terminal:
        terminal.type(
            shlex.join((sys.executable, str(root / "tests/support/static_screen.py"), str(looks), str(other)))
        )
        terminal.until_shows("media-cluster", KEYS)
        look(2)
        terminal.record(written)
        look(4)
        assert not written.exists() or written.read_bytes() == b""
        other.touch()
        terminal.until_shows(" 4711 ")
        wait_for(lambda: written.exists() and "4711" in written.read_text(), "the recording has it too")
        look(2)
        text = written.read_text()
        assert "4711" in text
        assert "──" not in text
        assert "kill" not in text
