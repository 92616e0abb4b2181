"""Worker files of several pipelines, as the janitor's pod has them: in a folder, all of one environment."""

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
    """Those that are named, or that stand in a folder that is, and whether they are still what they were."""

    def __init__(self, named: Iterable[Path]) -> None:
        """Raises CannotGoOn where there is none."""
        self._named = tuple(named)
        self._began = self._seen()
        self.found = tuple(path for path, _ in self._began)

    def changed(self) -> bool:
        """Since the beginning. What cannot be seen now has not changed: it may be back at the next look."""
        try:
            return self._seen() != self._began
        except (CannotGoOn, OSError):
            return False

    def _seen(self) -> list[tuple[Path, FileStamp | None]]:
        """Kubernetes puts new files in the place of the old ones, and does so only where their content is another."""
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
    """One janitor has one Redis, and looks after each pipeline once."""
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
    """As it was generated, also where it runs on another Redis."""
    return (pipeline.generated or pipeline).around
