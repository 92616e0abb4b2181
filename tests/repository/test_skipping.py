"""A test run reports every test that it skips (tests/conftest.py)."""

from pathlib import Path

import pytest

MARKERS = """
[pytest]
markers =
    needs(*programs): skipped if one is missing
"""


@pytest.fixture(autouse=True)
def conftest_of_the_repository(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.delenv("PENSTOCK_LEAVE_NOTHING_OUT", raising=False)
    pytester.makeini(MARKERS)
    pytester.makeconftest((root / "tests/conftest.py").read_text())


@pytest.mark.parametrize("workers", ["0", "2"])
def test_missing_programs_are_listed_at_the_end(pytester: pytest.Pytester, workers: str) -> None:
    """With the number of tests, even if several workers share the run."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.needs("no-such-shell")
        @pytest.mark.parametrize("case", range(3))
        def test_completion(case): ...

        @pytest.mark.needs("git", "no-such-editor")
        def test_editing(): ...

        def test_plain(): ...
    """)
    result = pytester.runpytest_inprocess("-n", workers)
    result.assert_outcomes(passed=1, skipped=4)
    result.stdout.fnmatch_lines(
        ["skipped because a program is not installed: no-such-editor (1 test), no-such-shell (3 tests)"]
    )
    assert result.ret == pytest.ExitCode.OK


def test_an_installed_program_skips_nothing(pytester: pytest.Pytester) -> None:
    """There is no summary if all tests ran."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.needs("git")
        def test_git(): ...
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*skipped*")


def test_leave_nothing_out_fails_tests_without_their_program(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PENSTOCK_LEAVE_NOTHING_OUT=1 forbids to skip."""
    monkeypatch.setenv("PENSTOCK_LEAVE_NOTHING_OUT", "1")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.needs("no-such-shell")
        def test_completion(): ...
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*needs no-such-shell, not installed here*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("@pytest.mark.skip(reason='later')\ndef test_it(): ...", id="mark"),
        pytest.param("@pytest.mark.skipif(True, reason='later')\ndef test_it(): ...", id="condition"),
        pytest.param("def test_it(): pytest.skip('later')", id="call"),
        pytest.param("import unittest\ndef test_it(): raise unittest.SkipTest('later')", id="unittest"),
        pytest.param("@pytest.mark.xfail(run=False)\ndef test_it(): ...", id="xfail-not-run"),
        pytest.param("pytest.skip('later', allow_module_level=True)", id="module"),
        pytest.param("pytest.importorskip('no_such_module')", id="import"),
    ],
)
def test_any_other_skip_fails_the_run(pytester: pytest.Pytester, body: str, workers: str) -> None:
    """With a message, whatever the way of skipping."""
    pytester.makepyfile(f"import pytest\n{body}\n")
    result = pytester.runpytest_inprocess("-n", workers)
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*skipped without the mark `needs`*"])
    assert not result.parseoutcomes().get("skipped")


def test_an_expected_failure_is_not_a_skip(pytester: pytest.Pytester) -> None:
    """An xfail that runs and fails is a test like any other."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.xfail(reason="known")
        def test_it():
            raise ValueError
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(xfailed=1)
    assert result.ret == pytest.ExitCode.OK
