"""All rules, found in the folders of rules."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from penstock_spec import rules
from penstock_spec.kinds import kinds
from penstock_spec.kinds.parts import part_of
from penstock_spec.rules.define import Rule


@cache
def catalogue() -> dict[str, Rule]:
    """All rules by name, in the order of families and names."""
    packages = [rules, *(part_of(kind.name, "rules", kind.rules) for kind in kinds().values())]
    return {rule.name: rule for package in packages for rule in _rules_in(package)}


def _rules_in(package: ModuleType) -> Iterator[Rule]:
    for info in sorted(pkgutil.walk_packages(package.__path__, f"{package.__name__}."), key=lambda info: info.name):
        if info.ispkg or info.name == "penstock_spec.rules.define":
            continue
        module = importlib.import_module(info.name)
        yield from (value for value in vars(module).values() if isinstance(value, Rule) and value.module == info.name)
