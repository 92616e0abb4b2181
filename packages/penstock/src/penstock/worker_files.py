"""Worker files of several pipelines, as the janitor's pod has them: in a folder, all of one environment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from penstock.resolved import Resolved
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Environment

ENDING = ".json"
GENERATE = "write them with `penstock generate`: each stands in `generated/<environment>/<name>/worker.json`"


def files_in(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files that are named, or that stand in a folder that is; raises CannotGoOn where there is none."""
    return tuple(file for path in paths for file in _files(path))


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


def refuse_apart(pipelines: Iterable[Resolved]) -> None:
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


def _around(pipeline: Resolved) -> Environment:
    """As it was generated, also where it runs on another Redis."""
    return (pipeline.generated or pipeline).around
