"""Finds `module:name` in a team's code. No other module imports that code."""

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

_MAX_SHOWN = 300


@dataclass(frozen=True, slots=True)
class CodeReference:
    """A reference to a team's code in a spec."""

    text: str
    """`module:name`; the name may have dots."""
    field: str
    """The field of the spec with the reference."""
    spec: str
    """The name of the spec, for messages."""
    hint: str
    """A hint for code that is in another folder."""

    @property
    def module(self) -> str:
        """The part before the colon."""
        return self.text.partition(":")[0]

    @property
    def name(self) -> str:
        """The part after the colon."""
        return self.text.partition(":")[2]


def find(reference: CodeReference, paths: Iterable[Path] = ()) -> Any:  # noqa: ANN401 - any object
    """Import it from the current folder, these paths or the installed packages. This runs its code."""
    for path in (Path.cwd(), *paths):
        if str(path.resolve()) not in sys.path:
            sys.path.insert(0, str(path.resolve()))
    value: Any = _module(reference)
    steps = reference.name.split(".")
    for number, step in enumerate(steps):
        parent = value
        try:
            value = getattr(parent, step)
        except AttributeError:
            similar = nearest(step, [name for name in dir(parent) if not name.startswith("_")])
            suggestion = f"{reference.module}:{'.'.join([*steps[:number], similar])}" if similar else ""
            says = f"`{reference.module}` has no `{reference.name}`, which {reference.spec} names"
            raise CannotGoOn(says, f"write `{suggestion}`" if suggestion else f"correct `{reference.field}`") from None
        except Exception as error:  # noqa: BLE001 - a module may compute its attributes on access
            text = f"{type(error).__name__}: {printable(error, _MAX_SHOWN)}"
            raise CannotGoOn(
                f"`{reference.text}` of {reference.spec} failed: {text}", "see the code of that module"
            ) from None
    return value


def _module(reference: CodeReference) -> ModuleType:
    try:
        with redirect_stdout(sys.stderr):  # output of the import must not mix with the command's
            return importlib.import_module(reference.module)
    except ImportError as error:
        says = f"`{reference.text}` of {reference.spec} cannot be imported: {printable(error, _MAX_SHOWN)}"
        raise CannotGoOn(says, _hint_for(reference, error)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a team's code may raise anything while it is imported
        text = printable(error, _MAX_SHOWN)
        says = f"`{reference.module}` failed to import: {type(error).__name__}{f': {text}' if text else ''}"
        raise CannotGoOn(says, f"run `python -c 'import {reference.module}'` to see where") from None


def _hint_for(reference: CodeReference, error: ImportError) -> str:
    missing = error.name or ""
    if isinstance(error, ModuleNotFoundError) and f"{reference.module}.".startswith(f"{missing}."):
        return reference.hint
    if isinstance(error, ModuleNotFoundError) and missing:
        return f"install the package that provides `{missing}`, or {reference.hint}"
    return f"run `python -c 'import {reference.module}'` to see where"
