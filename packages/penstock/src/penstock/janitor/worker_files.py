"""The generated worker files of an environment's pipelines, as the janitor's pod has them in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from penstock.pod.file_stamps import FileStamp, stamp
from penstock.resolved import ResolvedPipeline
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Environment

ENDING = ".json"
GENERATE = "write them with `penstock generate`: each stands in `generated/<environment>/<name>/worker.json`"


class WorkerFiles:
    """Named files and the files in named folders, and whether they have changed."""

    def __init__(self, named: Iterable[Path]) -> None:
        """Raises CannotGoOn if there is none."""
        self._named = tuple(named)
        self._began = self._seen()
        self.found = tuple(path for path, _ in self._began)

    def changed(self) -> bool:
        """Whether they have changed since the start. A file that cannot be read now has not: it may come back."""
        try:
            return self._seen() != self._began
        except (CannotGoOn, OSError):
            return False

    def _seen(self) -> list[tuple[Path, FileStamp | None]]:
        """Kubernetes replaces files, and only if their content has changed."""
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
        found = sorted(one for one in path.iterdir() if one.suffix == ENDING and not one.name.startswith("."))
    except OSError as error:
        raise CannotGoOn(f"`{path}` cannot be read: {error.strerror}", "see that this user may read it") from error
    if not found:
        raise CannotGoOn(f"`{path}` is a folder without a worker file", GENERATE)
    yield from found


def check_same_environment(pipelines: Iterable[ResolvedPipeline]) -> None:
    """Refuse pipelines that one janitor cannot maintain: of several environments, or several Redis servers."""
    first, *rest = pipelines
    known = {first.name}
    for one in rest:
        for what, ours, theirs in (
            ("environments", first.environment, one.environment),
            ("namespaces", _around(first).namespace, _around(one).namespace),
        ):
            if ours != theirs:
                says = f"`{first.name}` and `{one.name}` were generated for two {what}, `{ours}` and `{theirs}`"
                raise CannotGoOn(says, "start a janitor for each")
        if _around(first).redis != _around(one).redis:
            says = f"`{first.name}` and `{one.name}` were generated for two Redises, or for one in two ways"
            raise CannotGoOn(says, "take files of one run of `penstock generate`")
        if one.name in known:
            raise CannotGoOn(f"there are two worker files of `{one.name}`", "take one of them out")
        known.add(one.name)


def _around(pipeline: ResolvedPipeline) -> Environment:
    """The environment as generated, also if the pipeline runs on another Redis."""
    return (pipeline.generated or pipeline).around
