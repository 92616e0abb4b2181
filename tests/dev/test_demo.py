"""`make demo` accounts for every message, and leaves no process and no file behind, however it ends."""

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
from child_processes import is_alive
from dev_session import MARK, marked
from patience import PATIENCE
from servers import wait_for

from penstock_dev.demo import report, traffic
from penstock_dev.demo.command import generate
from penstock_dev.demo.ledger import FINISHED, STARTED, Accounting, KilledWorker, Line, account
from penstock_dev.demo.run import DemoResult, Moment
from penstock_dev.demo.workspace import MAX_REPLICAS
from penstock_spec.findings import CannotGoOn

KILLED = KilledWorker("worker-1~abc", 7, 10.0)
OTHER = 8


def ran(message: str, pid: int, start: float, end: float | None) -> Iterator[Line]:
    """A run of a message; without an end it was interrupted."""
    yield Line(STARTED, message, 1, pid, start)
    if end is not None:
        yield Line(FINISHED, message, 1, pid, end)


def result_with(accounting: Accounting, *moments: Moment) -> DemoResult:
    return DemoResult(accounting, KILLED, 4.0, moments, 12.34)


def test_second_runs_are_explained() -> None:
    """Interrupted by the kill, finished but not settled, or unexplained."""
    lines = [
        *ran("once", OTHER, 1, 2),
        *(*ran("cut", KILLED.pid, 9, None), *ran("cut", OTHER, 20, 21)),
        *(*ran("unsettled", KILLED.pid, 9, 10), *ran("unsettled", OTHER, 21, 22)),
        *(*ran("unexplained", OTHER, 1, 2), *ran("unexplained", OTHER, 3, 4)),
    ]
    accounting = account(["once", "cut", "unsettled", "unexplained"], lines, 0, KILLED)
    assert [list(one) for one in (accounting.interrupted, accounting.unsettled, accounting.unexplained)] == [
        ["cut"],
        ["unsettled"],
        ["unexplained"],
    ]
    assert (accounting.duplicates, accounting.lost, accounting.delays) == (3, 0, (10, 11))
    assert not accounting.adds_up
    text = "\n".join(report.ran_twice(result_with(accounting)))
    assert "1 interrupted: started there, and ran again elsewhere" in text
    assert "1 finished but not settled: Redis did not know yet" in text
    assert "1 for an unknown reason, which is a bug" in text
    assert "10.0 to 11.0 s later" in text


def test_a_message_that_is_neither_done_nor_dead_is_lost() -> None:
    """Then the demo fails, as it does with a dead letter or too few messages."""
    lines = [*ran("done", OTHER, 1, 2), *ran("cut", KILLED.pid, 9, None)]
    accounting = account(["done", "cut", "never"], lines, 1, KILLED)
    assert (accounting.lost, accounting.dead, accounting.adds_up) == (1, 1, False)
    all_done = account(
        [str(one) for one in range(999)], [line for one in range(999) for line in ran(str(one), 8, 1, 2)], 0, None
    )
    assert all_done.adds_up
    assert not report.adds_up(result_with(all_done))


def test_the_last_line_is_json() -> None:
    accounting = account(["done"], ran("done", OTHER, 1, 2), 0, KILLED)
    summary = json.loads(report.summary(result_with(accounting)))
    assert summary == {"sent": 1, "done": 1, "dead": 0, "duplicates": 0, "lost": 0, "seconds": 12.3}


def test_replicas_are_shown_every_other_second_and_at_the_end() -> None:
    moments = [Moment(at / 4, at, 0, at // 4, 3, at) for at in range(11)]
    lines = list(report.replicas(moments))
    assert [line.split()[:1] for line in lines] == [["0"], ["2"], ["2"]]
    assert lines[1] == "     2 s   2  ##  backlog     8  (3 wanted)"


def test_the_output_fits_80_columns() -> None:
    """Even with the longest worker name and the maximum of replicas."""
    accounting = account(["cut"], [*ran("cut", KILLED.pid, 9, None), *ran("cut", OTHER, 119, 120)], 0, KILLED)
    one = result_with(accounting, Moment(100, 1200, 0, MAX_REPLICAS, MAX_REPLICAS - 1, 1200))
    killed = replace(one, killed=replace(KILLED, name="media-clustering-worker-dev-10~01234567"))
    lines = [report.title(), *report.introduction(20), *report.account(one), *report.ran_twice(killed)]
    lines += [*report.replicas(one.moments), *report.next_steps(), report.summary(one)]
    assert [line for line in lines if len(line) > 80] == []


def test_all_messages_are_sent_evenly() -> None:
    assert sum(traffic.ticks()) == traffic.TOTAL >= report.MIN_MESSAGES
    assert max(traffic.ticks()) == 600


class Demo:
    """A run of the demo, with a folder for temporary files."""

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

    def until_all_ended(self) -> None:
        wait_for(lambda: not self.processes(), "no process is left")
        wait_for(lambda: not any(self.temporary.iterdir()), "no file is left")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / f"demo-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    return folder


def test_ctrl_c_while_modules_load_prints_one_line(root: Path, tmp_path: Path) -> None:
    """Python takes half a second before the demo's own code runs."""
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
        output, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (130, "stopped; nothing is left behind\n")


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
    output, _ = demo.process.communicate(timeout=PATIENCE)
    assert demo.process.returncode == 130, output
    assert output.endswith("stopped; nothing is left behind\n")
    assert "Traceback" not in output
    demo.until_all_ended()


def test_sigkill_leaves_nothing_of_the_demo(root: Path, temporary: Path) -> None:
    """Its child processes end by themselves, and delete the folder."""
    demo = Demo(root, temporary)
    wait_for(demo.ledger, "messages run")
    demo.process.kill()
    demo.process.communicate()
    assert not is_alive(demo.process.pid)
    demo.until_all_ended()


def test_outside_the_repository_the_demo_prints_a_hint(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "penstock_dev.demo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr.startswith("error: the demo needs the spec and the handler of `media-cluster`\n")


def test_a_failing_generate_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CannotGoOn) as failed:
        generate(tmp_path)
    assert failed.value.says.startswith("`penstock generate` fails: error: ")
    assert failed.value.hint == "see `penstock generate`"
