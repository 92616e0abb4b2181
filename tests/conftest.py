"""What every test relies on: nothing is left out of a run unless the run says so.

A test that needs a program is marked `@pytest.mark.needs("zsh")`. Where the program is missing, the test is left out
and named at the end; with `PENSTOCK_LEAVE_NOTHING_OUT=1` it fails. Every other skip is an error.
"""

import os
import shutil
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

_LEFT_OUT = "left out for want of"

# A busy machine is slow, not wrong: without this, property tests fail by the clock.
hypothesis.settings.register_profile("house", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("house")


# Programs that `make validators` has built count before installed ones: their versions are pinned.
os.environ["PATH"] = f"{Path(__file__).parents[1] / 'build/validators/bin'}{os.pathsep}{os.environ['PATH']}"

# Of whoever runs the tests: in a hook, git names the repository that it is about, and theirs are others.
for _name in [name for name in os.environ if name.startswith("GIT_")] + ["NO_COLOR"]:
    os.environ.pop(_name, None)
os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

# A shell starts what runs in the background with SIGINT ignored, and so would be every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parents[1]


def pytest_xdist_auto_num_workers() -> int:
    """Two for each processor: half of the time a test waits for a server or for a process of its own."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    programs = {program for mark in item.iter_markers("needs") for program in mark.args}
    missing = sorted(program for program in programs if shutil.which(program) is None)
    if not missing:
        return
    reason = f"needs {' and '.join(missing)}, not installed here"
    if os.environ.get("PENSTOCK_LEAVE_NOTHING_OUT", "0") != "0":
        pytest.fail(reason, pytrace=False)
    # Properties travel with the report, also from an xdist worker to the process that writes the summary.
    item.user_properties.extend((_LEFT_OUT, program) for program in missing)
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    ran_and_failed_as_expected = "[NOTRUN]" not in getattr(report, "wasxfail", "[NOTRUN]")
    if report.skipped and not ran_and_failed_as_expected and not _programs(report):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped:
        _refuse(report)
    return report


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    left_out = Counter(program for report in terminalreporter.stats.get("skipped", []) for program in _programs(report))
    if not left_out:
        return
    terminalreporter.section("left out", yellow=True)
    counts = [f"{program} ({n} {'test' if n == 1 else 'tests'})" for program, n in sorted(left_out.items())]
    terminalreporter.write_line(f"left out for want of a system package: {', '.join(counts)}")


def _programs(report: pytest.TestReport) -> list[str]:
    return [str(program) for what, program in report.user_properties if what == _LEFT_OUT]


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    report.outcome = "failed"
    report.longrepr = (
        f"skipped in a way that no summary names: {report.longrepr}\nhint: mark it with `needs`, or let it run"
    )
    if hasattr(report, "wasxfail"):
        del report.wasxfail
