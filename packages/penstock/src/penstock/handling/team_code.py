"""From `module:name` to what a team's code has under that name. The only module that imports that code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from penstock_spec.fields import nearest
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.strings import printable

_MOST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class CodeReference:
    """What a spec says stands in a team's code."""

    text: str
    """`module:name`; the name may have dots."""
    field: str
    """The field of the spec that says it."""
    spec: str
    """The spec, as people know it."""
    elsewhere: str
    """What to do when the code is somewhere else."""

    @property
    def module(self) -> str:
        """Before the colon."""
        return self.text.partition(":")[0]

    @property
    def name(self) -> str:
        """Behind it."""
        return self.text.partition(":")[2]


def find(named: CodeReference, paths: Iterable[Path] = ()) -> Any:  # noqa: ANN401 - whatever stands there
    """Import it, from the current folder or one of these or what is installed. Its code runs now."""
    for path in (Path.cwd(), *paths):
        if str(path.resolve()) not in sys.path:
            sys.path.insert(0, str(path.resolve()))
    found: Any = _module(named)
    steps = named.name.split(".")
    for number, step in enumerate(steps):
        inside = found
        try:
            found = getattr(inside, step)
        except AttributeError:
            close = nearest(step, [name for name in dir(inside) if not name.startswith("_")])
            better = f"{named.module}:{'.'.join([*steps[:number], close])}" if close else ""
            says = f"`{named.module}` has no `{named.name}`, which {named.spec} names"
            raise CannotGoOn(says, f"write `{better}`" if better else f"put `{named.field}` right") from None
        except Exception as error:  # noqa: BLE001 - a module may make its names when it is asked for them
            told = f"{type(error).__name__}: {printable(error, _MOST_SHOWN)}"
            raise CannotGoOn(
                f"`{named.text}` of {named.spec} cannot be had: {told}", "see what the code does"
            ) from None
    return found


def _module(named: CodeReference) -> ModuleType:
    try:
        with redirect_stdout(sys.stderr):  # what the code prints on the way is no part of any output
            return importlib.import_module(named.module)
    except ImportError as error:
        says = f"`{named.text}` of {named.spec} cannot be imported: {printable(error, _MOST_SHOWN)}"
        raise CannotGoOn(says, _way_out(named, error)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a team's code may raise anything while it is imported
        told = printable(error, _MOST_SHOWN)
        says = f"`{named.module}` fails when it is imported: {type(error).__name__}{f': {told}' if told else ''}"
        raise CannotGoOn(says, f"run `python -c 'import {named.module}'` to see where") from None


def _way_out(named: CodeReference, error: ImportError) -> str:
    missing = error.name or ""
    if isinstance(error, ModuleNotFoundError) and f"{named.module}.".startswith(f"{missing}."):
        return named.elsewhere
    if isinstance(error, ModuleNotFoundError) and missing:
        return f"install what brings `{missing}`, or {named.elsewhere}"
    return f"run `python -c 'import {named.module}'` to see where"
