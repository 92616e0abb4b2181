"""A folder for a demo: the repository's own spec in an environment of its own, and nothing left of it at the end."""

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
MOST = 8
HANDLER = "penstock_dev.demo.handler:cluster"
IN_SPEC = f"""
  {ENVIRONMENT}:
    handler: "{HANDLER}"
    work.lease: {LEASE}
    scaling.replicas.max: {MOST}
"""
"""The least lease that there may be, so that what a killed worker held is soon taken over; fewer pods, for a laptop."""
IN_PLATFORM = f"""
  {ENVIRONMENT}:
    namespace: pipelines-{ENVIRONMENT}
    redis: {{addresses: ["127.0.0.1:6379"]}}
"""
"""Environments stand at the end of both files."""
GUARD = 'read -r line || { sleep 1; rm -rf -- "$1"; }'
"""What takes the folder away when we can do nothing more: our end of its pipe closes with us."""


@contextmanager
def place(root: Path) -> Iterator[Path]:
    """A repository with one spec, in an environment more. Raises CannotGoOn."""
    spec, platform, code = root / "specs" / f"{NAME}.yaml", root / "penstock.yaml", root / CODE / "media"
    if not (spec.is_file() and platform.is_file() and code.is_dir()):
        raise CannotGoOn(
            f"the demo runs `{NAME}`, and its spec and handler are not here", "run `make demo` where they are"
        )
    with _vanishing() as folder:
        (folder / "specs").mkdir()
        shutil.copy(root / "specs" / f"{NAME}.message.json", folder / "specs")
        (folder / "specs" / spec.name).write_text(spec.read_text() + IN_SPEC)
        (folder / platform.name).write_text(platform.read_text() + IN_PLATFORM)
        shutil.copytree(root / CODE, folder / CODE, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder


@contextmanager
def _vanishing() -> Iterator[Path]:
    """A folder that is gone afterwards, even when we are killed with SIGKILL.

    Ctrl-C has to wait until there is somebody who takes it away.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    folder = Path(tempfile.mkdtemp(prefix="penstock-demo-"))
    guard = subprocess.Popen(  # noqa: S603 - a shell with a script of ours
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
