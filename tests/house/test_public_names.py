"""What teams import."""

import subprocess
import sys

import penstock


def test_every_public_name_can_be_had() -> None:
    """Each name of `__all__` is there, and nothing else is promised."""
    assert {name for name in penstock.__all__ if getattr(penstock, name) is not None} == set(penstock.__all__)
    assert set(penstock.__all__) <= set(dir(penstock))


def test_importing_the_package_loads_nothing() -> None:
    """A handler that asks for `penstock.Retry` does not pay for the producer."""
    code = "import sys, penstock; penstock.Retry; print(sorted(name for name in sys.modules if 'redis' in name))"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]"
