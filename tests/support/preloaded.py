"""Processes of the `penstock` command that have imported everything before they start.

A test of a command's effects on files needs a process, but importing the command takes half of its time. `Preloaded` is
one process that imports the command once and forks for each run. A run has its own process, arguments, folder,
environment and output, as if a shell had started it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

FORKS = """\
import gc, importlib, json, os, pkgutil, sys, traceback

for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
from penstock.entry import main
gc.freeze()

def run(of):
    for stream, path in enumerate((os.devnull, of["out"], of["err"])):
        os.dup2(os.open(path, os.O_RDWR), stream)
    os.chdir(of["cwd"])
    os.environ.clear()
    os.environ.update(of["environ"])
    sys.argv = of["words"]
    code = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)

requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w", buffering=1)
for line in requests:
    child = os.fork()
    if not child:
        run(json.loads(line))
    answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\\n")
"""


class Preloaded:
    """The process that forks."""

    def __init__(self, *packages: str) -> None:
        """Import all modules of these packages."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", FORKS, *packages], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(self, *words: str, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run the command to its end."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests
        assert answers
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            request = {"words": ["penstock", *words], "cwd": os.fspath(cwd), "environ": dict(env)}
            requests.write(json.dumps({**request, "out": out.name, "err": err.name}) + "\n")
            requests.flush()
            code = int(answers.readline())
            return subprocess.CompletedProcess(words, code, out.read().decode(), err.read().decode())
