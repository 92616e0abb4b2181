"""A temporary repository for the demo: Penstock's own spec, in an additional environment."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock_spec.findings import CannotGoOn

NAME = "media-cluster"
ENVIRONMENT = "demo"
CODE = "examples"
LEASE = "10s"
MAX_REPLICAS = 8
HANDLER = "penstock_dev.demo.handler:cluster"
IN_SPEC = f"""
  {ENVIRONMENT}:
    handler: "{HANDLER}"
    work.lease: {LEASE}
    scaling.replicas.max: {MAX_REPLICAS}
"""
"""The shortest lease, so that a killed worker's messages are taken over soon; few pods, for a laptop."""
IN_PLATFORM = f"""
  {ENVIRONMENT}:
    namespace: pipelines-{ENVIRONMENT}
    redis: {{addresses: ["127.0.0.1:6379"]}}
"""
"""Appended: environments are at the end of both files."""
GUARD = 'read -r line || { sleep 1; rm -rf -- "$1"; }'
"""Deletes the folder when the pipe closes because this process is gone."""


@contextmanager
def workspace(root: Path) -> Iterator[Path]:
    """Create the repository, and delete it at the end. Raises CannotGoOn."""
    spec, platform, code = root / "specs" / f"{NAME}.yaml", root / "penstock.yaml", root / CODE / "media"
    if not (spec.is_file() and platform.is_file() and code.is_dir()):
        raise CannotGoOn(
            f"the demo needs the spec and the handler of `{NAME}`", "run `make demo` in Penstock's repository"
        )
    with _temporary_folder() as folder:
        (folder / "specs").mkdir()
        shutil.copy(root / "specs" / f"{NAME}.message.json", folder / "specs")
        (folder / "specs" / spec.name).write_text(spec.read_text() + IN_SPEC)
        (folder / platform.name).write_text(platform.read_text() + IN_PLATFORM)
        shutil.copytree(root / CODE, folder / CODE, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A temporary folder that is deleted even if this process gets SIGKILL.

    Ctrl-C waits until the guard that deletes it runs.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    folder = Path(tempfile.mkdtemp(prefix="penstock-demo-"))
    guard = subprocess.Popen(  # noqa: S603 - a constant script
        ["/bin/sh", "-c", GUARD, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield folder.resolve()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            guard.communicate(b"\n")
