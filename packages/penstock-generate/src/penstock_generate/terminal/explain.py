"""`penstock explain generated/...:LINE`: where a generated line comes from."""

from __future__ import annotations

import click

from penstock.terminal.console import here, painter
from penstock_generate.explaining.explain import Explanation, explain
from penstock_generate.explaining.inputs import Cause
from penstock_generate.inputs.source import Selection
from penstock_generate.terminal.options import root_of
from penstock_generate.terminal.repository import source_of
from penstock_spec.files import read_bytes
from penstock_spec.findings import CannotGoOn
from penstock_spec.report.safe import safe

MOST = 12
"""Fields that are printed; a line that contains a file comes from nearly all of them."""
WIDEST = 120


def tell(place: str) -> None:
    """Print the explanation of a place, `FILE:LINE`."""
    name, _, line = place.rpartition(":")
    if not line.isdigit():
        raise CannotGoOn(f"`{place}` has no line number", f"write `{place}:1`, with the number of a line")
    source = source_of(None, Selection())
    root, file = root_of(source.root), (here() / name).resolve()
    if not file.is_relative_to(root.resolve()):
        raise CannotGoOn(f"`{name}` is not in `generated/`", "name a generated file")
    raw = read_bytes(file, name, most=None)
    if not isinstance(raw, bytes):
        raise CannotGoOn(f"`{name}` cannot be read: {raw.says}", raw.hint)
    path = file.relative_to(root.resolve()).as_posix()
    for one in _lines(explain(source, path, raw.decode("utf-8", "replace"), int(line))):
        click.echo(one)


def _lines(explanation: Explanation) -> list[str]:
    paint = painter()
    rows = [(_at(cause), cause.path) for cause in explanation.causes[:MOST]]
    column = max([len(at) for at, _ in rows], default=0) + 2
    lines = [paint(safe(explanation.text.strip()[:WIDEST]), "bold")]
    lines += [f"  {paint('value', 'dim')}     {at:{column}}{path}" for at, path in rows]
    if len(explanation.causes) > MOST:
        lines.append(f"            and {len(explanation.causes) - MOST} more fields")
    if not rows:
        lines.append(f"  {paint('value', 'dim')}     the same for all specs")
    return [*lines, f"  {paint('made by', 'dim')}   {explanation.maker}"]


def _at(cause: Cause) -> str:
    return str(cause.at) if cause.at else str(cause.layer)
