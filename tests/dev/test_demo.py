"""`make demo` accounts for every message, and leaves nothing behind however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from developing import MARK, marked
from offspring import is_alive
from patience import PATIENCE
from servers import wait_for

from penstock_dev.demo import report, traffic
from penstock_dev.demo.ledger import FINISHED, STARTED, Accounting, KilledWorker, Line, account
from penstock_dev.demo.run import DemoResult, Moment
from penstock_dev.demo.workspace import MOST

KILLED = KilledWorker("worker-1~abc", 7, 10.0)
OTHER = 8


def ran(message: str, pid: int, begins: float, ends: float | None) -> Iterator[Line]:
    """A run of a message; it may have been cut off."""
    yield Line(STARTED, message, 1, pid, begins)
    if ends is not None:
        yield Line(FINISHED, message, 1, pid, ends)


def played(told: Accounting, *moments: Moment) -> DemoResult:
    return DemoResult(told, KILLED, 4.0, moments, 12.34)


def test_what_ran_twice_is_told_with_its_reason() -> None:
    """Cut off by the kill; finished, but not told to Redis; or something that should not be."""
    lines = [
        *ran("once", OTHER, 1, 2),
        *(*ran("cut", KILLED.pid, 9, None), *ran("cut", OTHER, 20, 21)),
        *(*ran("untold", KILLED.pid, 9, 10), *ran("untold", OTHER, 21, 22)),
        *(*ran("odd", OTHER, 1, 2), *ran("odd", OTHER, 3, 4)),
    ]
    told = account(["once", "cut", "untold", "odd"], lines, 0, KILLED)
    assert [list(one) for one in (told.interrupted, told.unsettled, told.unexplained)] == [["cut"], ["untold"], ["odd"]]
    assert (told.duplicates, told.lost, told.again) == (3, 0, (10, 11))
    assert not told.adds_up
    words = "\n".join(report.twice(played(told)))
    assert "1 it was running: begun there, and run again elsewhere" in words
    assert "1 it had just finished: Redis had not been told" in words
    assert "1 for another reason, and that should not be so" in words
    assert "10.0 to 11.0 s later" in words


def test_a_message_that_is_neither_done_nor_dead_is_lost() -> None:
    """Then the demo has failed, as it has with a dead letter, and with fewer messages than it promises."""
    lines = [*ran("done", OTHER, 1, 2), *ran("cut", KILLED.pid, 9, None)]
    told = account(["done", "cut", "never"], lines, 1, KILLED)
    assert (told.lost, told.dead, told.adds_up) == (1, 1, False)
    all_done = account(
        [str(one) for one in range(999)], [line for one in range(999) for line in ran(str(one), 8, 1, 2)], 0, None
    )
    assert all_done.adds_up
    assert not report.adds_up(played(all_done))


def test_the_last_line_is_for_machines() -> None:
    told = account(["done"], ran("done", OTHER, 1, 2), 0, KILLED)
    said = json.loads(report.summary(played(told)))
    assert said == {"sent": 1, "done": 1, "dead": 0, "duplicates": 0, "lost": 0, "seconds": 12.3}


def test_replicas_are_told_every_other_second_and_at_the_end() -> None:
    moments = [Moment(at / 4, at, 0, at // 4, 3, at) for at in range(11)]
    told = list(report.replicas(moments))
    assert [line.split()[:1] for line in told] == [["0"], ["2"], ["2"]]
    assert told[1] == "     2 s   2  ##  backlog     8  (3 wanted)"


def test_all_of_it_fits_a_terminal_of_80_columns() -> None:
    """Also with a worker's longest name, and as many replicas as there may be."""
    told = account(["cut"], [*ran("cut", KILLED.pid, 9, None), *ran("cut", OTHER, 119, 120)], 0, KILLED)
    one = played(told, Moment(100, 1200, 0, MOST, MOST - 1, 1200))
    killed = replace(one, killed=replace(KILLED, name="media-clustering-worker-dev-10~01234567"))
    lines = [report.title(), *report.begins(20), *report.account(one), *report.twice(killed)]
    lines += [*report.replicas(one.moments), *report.next_(), report.summary(one)]
    assert [line for line in lines if len(line) > 80] == []


def test_all_that_is_promised_is_sent_and_evenly() -> None:
    assert sum(traffic.ticks()) == traffic.TOTAL >= report.ENOUGH
    assert max(traffic.ticks()) == 600


class Demo:
    """A run of it, with a folder for temporary files."""

    def __init__(self, root: Path, temporary: Path) -> None:
        self.temporary = temporary
        self.mark = temporary.name
        environ = os.environ | {MARK: self.mark, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "penstock_dev.demo"],
            cwd=root,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def processes(self, command: str = "") -> list[int]:
        return marked(self.mark, command)

    def ledger(self) -> bool:
        return any(self.temporary.glob("*/ledger"))

    def nothing_left(self) -> None:
        wait_for(lambda: not self.processes(), "no process is left")
        wait_for(lambda: not any(self.temporary.iterdir()), "no file is left")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / f"demo-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    return folder


def test_ctrl_c_while_it_is_loaded_is_a_sentence(root: Path, tmp_path: Path) -> None:
    """Python takes half a second before any of the demo runs; that is a moment as well."""
    loading, script = tmp_path / "loading", tmp_path / "script.py"
    script.write_text(
        "import runpy, sys, time\n"
        "from pathlib import Path\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'penstock_dev.demo.command':\n"
        f"            Path({str(loading)!r}).touch()\n"
        "            time.sleep(60)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "runpy.run_module('penstock_dev.demo', run_name='__main__')\n"
    )
    words = [sys.executable, str(script)]
    with subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        wait_for(loading.exists, "it is being loaded")
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (130, "stopped; nothing is left behind\n")


MOMENTS: dict[str, Callable[[Demo], object]] = {
    "its folder is there": lambda demo: any(demo.temporary.iterdir()),
    "it generates": lambda demo: demo.processes("penstock generate") or demo.processes("penstock worker"),
    "workers start": lambda demo: demo.processes("penstock worker"),
    "messages run": Demo.ledger,
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_leaves_nothing_of_the_demo(root: Path, temporary: Path, moment: str) -> None:
    """No process, no file, no traceback."""
    demo = Demo(root, temporary)
    wait_for(lambda: MOMENTS[moment](demo), moment, 120)
    demo.process.send_signal(signal.SIGINT)
    told, _ = demo.process.communicate(timeout=PATIENCE)
    assert demo.process.returncode == 130, told
    assert told.endswith("stopped; nothing is left behind\n")
    assert "Traceback" not in told
    demo.nothing_left()


def test_sigkill_leaves_nothing_of_the_demo(root: Path, temporary: Path) -> None:
    """What it has started ends by itself, and takes its folder away."""
    demo = Demo(root, temporary)
    wait_for(demo.ledger, "messages run")
    demo.process.kill()
    demo.process.communicate()
    assert not is_alive(demo.process.pid)
    demo.nothing_left()


def test_elsewhere_the_demo_says_where_it_runs(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "penstock_dev.demo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.returncode == 2
    assert told.stderr.startswith("error: the demo runs `media-cluster`, and its spec and handler are not here\n")
