"""How to define a rule.

    @spec_rule(Severity.ERROR)                    checks one spec in one environment
    @platform_rule(Severity.ERROR)                checks one environment of the platform file
    @fleet_rule(Severity.ERROR)                   checks all specs of one environment together
    @change_rule(Severity.ERROR, "...")           compares one spec in one environment with its previous version
    RULE = reported(__name__, Severity.ERROR)     has no check: the reader or the models report its findings

A finding of a change rule is accepted by acknowledging the change; it cannot be suppressed.

A rule is named after its module. The first line of the module's docstring is its title, the rest its docs page.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from penstock_spec.context import ChangeContext, EnvironmentContext, Fleet, SpecContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem

Scope = Literal["reported", "spec", "platform", "fleet", "change"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalogue."""

    name: str
    severity: Severity
    scope: Scope
    module: str
    check: Callable[[Any], Iterable[Problem]] | None = None
    acknowledged_as: str = ""
    """The `change` of an acknowledgement that accepts its findings."""

    @property
    def family(self) -> str:
        """The folder of its module."""
        return self.module.split(".")[-2]

    @property
    def page(self) -> str:
        """Its docs page: what goes wrong, and how to fix it."""
        return inspect.cleandoc(sys.modules[self.module].__doc__ or "")

    @property
    def title(self) -> str:
        """The first line of its page: what is wrong."""
        return self.page.partition("\n")[0].rstrip(".")


def spec_rule(severity: Severity) -> Callable[[Callable[[SpecContext[Any]], Iterable[Problem]]], Rule]:
    """Define a rule that checks one spec in one environment."""
    return lambda check: _rule(check.__module__, severity, "spec", check)


def platform_rule(severity: Severity) -> Callable[[Callable[[EnvironmentContext], Iterable[Problem]]], Rule]:
    """Define a rule that checks one environment of the platform file."""
    return lambda check: _rule(check.__module__, severity, "platform", check)


def fleet_rule(severity: Severity) -> Callable[[Callable[[Fleet], Iterable[Problem]]], Rule]:
    """Define a rule that checks all specs of one environment together."""
    return lambda check: _rule(check.__module__, severity, "fleet", check)


def change_rule(severity: Severity, change: str) -> Callable[[Callable[[ChangeContext[Any]], Iterable[Problem]]], Rule]:
    """Define a rule that compares one spec in one environment with its previous version."""
    return lambda check: replace(_rule(check.__module__, severity, "change", check), acknowledged_as=change)


def reported_change(module: str, severity: Severity, change: str) -> Rule:
    """Define a rule about removed specs or environments; the linter reports its findings."""
    return replace(_rule(module, severity, "change", None), acknowledged_as=change)


def reported(module: str, severity: Severity) -> Rule:
    """Define a rule whose findings the reader or the models report."""
    return _rule(module, severity, "reported", None)


def _rule(module: str, severity: Severity, scope: Scope, check: Callable[[Any], Iterable[Problem]] | None) -> Rule:
    return Rule(module.rpartition(".")[2].replace("_", "-"), severity, scope, module, check)
