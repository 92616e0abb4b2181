"""Write the reference pages; with `--check`, compare them with what would be written."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import click

from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds import kinds
from penstock_spec.reference import commands, metrics
from penstock_spec.reference.pages import OWNED, pages

ROOT = Path(__file__).parents[1]
WIDTH = 100


class Difference(NamedTuple):
    """The differences between the files on disk and the pages to write."""

    missing: tuple[str, ...]
    different: tuple[str, ...]
    left_over: tuple[str, ...]

    def summary(self) -> str:
        """The differences in a sentence; empty if there are none."""
        counts = {"missing": self.missing, "out of date": self.different, "left over": self.left_over}
        parts = [f"{what}: {', '.join(f'`{name}`' for name in names)}" for what, names in counts.items() if names]
        return "; ".join(parts)


def everything() -> dict[str, str]:
    """All pages by path."""
    made = {
        "docs/reference/commands.md": commands.page(helps()),
        "docs/reference/metrics.md": metrics.page({name: kind.contract for name, kind in kinds().items()}),
    }
    for name in ("artifacts", "benchmarks", "events", "origins", "picture", "states"):
        made |= load_script(name).pages(ROOT)
    return {**pages(), **made}


def load_script(name: str) -> ModuleType:
    """Import a script of this folder, which is not a package and may not be on the path."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def helps() -> dict[str, str]:
    """The help of the command and of each verb, with the same width on every machine."""
    from penstock.command import app  # noqa: PLC0415 - the command loads verbs on demand

    return dict(_helps(app, click.Context(app, info_name="penstock", terminal_width=WIDTH, **app.context_settings)))


def _helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if verb := command.get_command(context, name):
                yield from _helps(verb, click.Context(verb, context, info_name=name, **verb.context_settings))


def compare(root: Path, made: Mapping[str, str]) -> Difference:
    """Compare the files on disk with the pages, without changes."""
    missing = tuple(name for name in made if not (root / name).is_file())
    different = tuple(
        name for name, text in made.items() if name not in missing and (root / name).read_bytes() != text.encode()
    )
    lying = {path.relative_to(root).as_posix() for folder in OWNED for path in (root / folder).rglob("*")}
    left_over = tuple(sorted(name for name in lying - made.keys() if not (root / name).is_dir()))
    return Difference(missing, different, left_over)


def write(root: Path, made: Mapping[str, str]) -> Difference:
    """Write pages that differ and remove leftover files; returns the differences."""
    difference = compare(root, made)
    for name in (*difference.missing, *difference.different):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made[name].encode())
    for name in difference.left_over:
        (root / name).unlink()
    return difference


def main(arguments: list[str]) -> int:
    """Run the script."""
    if arguments not in ([], ["--check"]):
        print("error: the only option is `--check`", file=sys.stderr)
        return 2
    try:
        made = everything()
    except CannotGoOn as error:
        print(f"error: {error.says}\nhint: {error.hint}", file=sys.stderr)
        return 2
    if not arguments:
        written = write(ROOT, made)
        changed = len(written.missing) + len(written.different)
        print(f"wrote {changed} of {len(made)} files, removed {len(written.left_over)}")
        return 0
    complaint = compare(ROOT, made).summary()
    if complaint:
        print(f"error: {complaint}\nhint: run `make generate` and commit what it writes", file=sys.stderr)
        return 1
    print(f"{len(made)} files are up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
