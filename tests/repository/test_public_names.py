"""The public names of `penstock`."""

import subprocess
import sys

import penstock


def test_every_public_name_exists() -> None:
    """Each name in `__all__`, and `dir` lists it."""
    assert {name for name in penstock.__all__ if getattr(penstock, name) is not None} == set(penstock.__all__)
    assert set(penstock.__all__) <= set(dir(penstock))


def test_importing_the_package_does_not_load_redis() -> None:
    """A handler that uses `penstock.Retry` does not load the producer."""
    code = "import sys, penstock; penstock.Retry; print(sorted(name for name in sys.modules if 'redis' in name))"
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "[]"
