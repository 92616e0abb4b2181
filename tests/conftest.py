"""Settings of all tests; and a run lists every test that it skips.

A test that needs a program is marked `@pytest.mark.needs("zsh")`. If the program is missing, the test is skipped and
the program is listed at the end; with `PENSTOCK_LEAVE_NOTHING_OUT=1` the test fails. Every other skip is an error.
"""

import os
import shutil
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

_LEFT_OUT = "skipped: not installed"

# A busy machine is slow, not wrong: without this, property tests fail by the clock.
hypothesis.settings.register_profile("penstock", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("penstock")


# Programs of `make validators` come before installed ones: their versions are pinned.
os.environ["PATH"] = f"{Path(__file__).parents[1] / 'build/validators/bin'}{os.pathsep}{os.environ['PATH']}"

# Ignore the caller's settings of git: in a hook, its variables name the wrong repository.
for _name in [name for name in os.environ if name.startswith("GIT_")] + ["NO_COLOR"]:
    os.environ.pop(_name, None)
os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

# A shell starts background commands with SIGINT ignored, and processes that tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parents[1]


def pytest_xdist_auto_num_workers() -> int:
    """Two for each processor: a test waits half of its time for a server or another process."""
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
    terminalreporter.section("skipped", yellow=True)
    counts = [f"{program} ({n} {'test' if n == 1 else 'tests'})" for program, n in sorted(left_out.items())]
    terminalreporter.write_line(f"skipped because a program is not installed: {', '.join(counts)}")


def _programs(report: pytest.TestReport) -> list[str]:
    return [str(program) for what, program in report.user_properties if what == _LEFT_OUT]


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    report.outcome = "failed"
    report.longrepr = f"skipped without the mark `needs`: {report.longrepr}\nhint: mark it with `needs`, or let it run"
    if hasattr(report, "wasxfail"):
        del report.wasxfail
