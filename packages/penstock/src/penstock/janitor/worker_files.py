"""The generated worker files of an environment's pipelines, in a folder of the janitor's pod."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from penstock.pod.file_stamps import FileStamp, stamp
from penstock.resolved import ResolvedPipeline
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Environment

ENDING = ".json"
GENERATE = "run `penstock generate`; it writes `generated/<environment>/<name>/worker.json`"


class WorkerFiles:
    """The named files and the files in named folders, and whether they have changed."""

    def __init__(self, named: Iterable[Path]) -> None:
        """Raises CannotGoOn if there is none."""
        self._named = tuple(named)
        self._at_start = self._stamps()
        self.found = tuple(path for path, _ in self._at_start)

    def changed(self) -> bool:
        """Whether they have changed since the start. A file that cannot be read now has not: it may come back."""
        try:
            return self._stamps() != self._at_start
        except (CannotGoOn, OSError):
            return False

    def _stamps(self) -> list[tuple[Path, FileStamp | None]]:
        """The files with their stamps. Kubernetes replaces files only if their content has changed."""
        return [(path, _stamp(path)) for named in self._named for path in _files(named)]


def _stamp(path: Path) -> FileStamp | None:
    try:
        return stamp(path)
    except FileNotFoundError:
        return None  # reading it raises the error that people see


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        if path.suffix != ENDING:
            raise CannotGoOn(f"`{path}` is neither a folder nor a worker file, which ends in `{ENDING}`", GENERATE)
        yield path
        return
    try:
        files = sorted(file for file in path.iterdir() if file.suffix == ENDING and not file.name.startswith("."))
    except OSError as error:
        raise CannotGoOn(f"`{path}` cannot be read: {error.strerror}", "give this user read permission") from error
    if not files:
        raise CannotGoOn(f"`{path}` is a folder without a worker file", GENERATE)
    yield from files


def check_same_environment(pipelines: Iterable[ResolvedPipeline]) -> None:
    """Refuse pipelines that one janitor cannot maintain: of several environments, or several Redis servers."""
    first, *rest = pipelines
    known = {first.name}
    for pipeline in rest:
        names = f"`{first.name}` and `{pipeline.name}`"
        for attribute, ours, theirs in (
            ("environments", first.environment, pipeline.environment),
            ("namespaces", _around(first).namespace, _around(pipeline).namespace),
        ):
            if ours != theirs:
                problem = f"{names} were generated for two {attribute}, `{ours}` and `{theirs}`"
                raise CannotGoOn(problem, "start a janitor for each")
        if _around(first).redis != _around(pipeline).redis:
            problem = f"{names} were generated for two Redis servers, or for different addresses of one"
            raise CannotGoOn(problem, "use files from one run of `penstock generate`")
        if pipeline.name in known:
            raise CannotGoOn(f"two worker files have the name `{pipeline.name}`", "remove one of them")
        known.add(pipeline.name)


def _around(pipeline: ResolvedPipeline) -> Environment:
    """The environment as generated, also if the pipeline runs on another Redis."""
    return (pipeline.generated or pipeline).around
