"""The parts of a kind: modules that are imported when they are needed. A missing part is an error that names it."""

from __future__ import annotations

import importlib
from types import ModuleType

from penstock_spec.findings import CannotGoOn

HINT = 'see "Add a kind" in CONTRIBUTING.md of Penstock'


def part_of(kind: str, what: str, module: str, *names: str) -> ModuleType:
    """Import the module of a part, such as its emitter. Raises CannotGoOn if it or one of these names is missing."""
    if not module:
        raise CannotGoOn(f"the kind `{kind}` has no {what}: its `KIND` names no module for them", HINT)
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module exists, but a module that it imports is missing
        raise CannotGoOn(f"the kind `{kind}` has no {what}: the module `{error.name}` is missing", HINT) from error
    missing = [name for name in names if not hasattr(loaded, name)]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        raise CannotGoOn(f"the kind `{kind}` has no {what}: the module `{module}` does not define {listed}", HINT)
    return loaded
