"""The tests on every Python that Penstock supports: `.venv/bin/nox`, or `.venv/bin/nox -s tests-3.13` for one."""

from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

# A missing Python must not look like one on which all tests pass.
nox.options.error_on_missing_interpreters = True


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests against the pinned requirements."""
    packages = [f"--editable={manifest.parent}" for manifest in sorted(Path("packages").glob("*/pyproject.toml"))]
    session.install("--require-hashes", "--requirement=requirements/dev.txt")
    session.install("--no-deps", "--no-index", "--no-build-isolation", *packages)
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=False)
def lint(session: nox.Session) -> None:
    """Check style, format and types."""
    session.run("make", "lint", external=True)
