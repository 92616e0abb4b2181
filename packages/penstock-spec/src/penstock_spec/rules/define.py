"""How a rule is written down.

    @spec_rule(Severity.ERROR)                one spec in one environment
    @platform_rule(Severity.ERROR)            one environment of the platform file
    @fleet_rule(Severity.ERROR)               all specs of one environment
    @change_rule(Severity.ERROR, "...")       one spec in one environment, against what it was there before
    RULE = told(__name__, Severity.ERROR)     found on the way, by reading or by the models

What changes find is taken on by an acknowledgement of that change, and cannot be suppressed.

A rule's name is its module's, its title the first line of the module's docstring, its page the rest.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from penstock_spec.findings import Severity
from penstock_spec.reading import Found
from penstock_spec.subject import Changed, Fleet, PlatformSubject, Subject

Scope = Literal["told", "spec", "platform", "fleet", "change"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the catalogue."""

    name: str
    severity: Severity
    scope: Scope
    module: str
    check: Callable[[Any], Iterable[Found]] | None = None
    acknowledged_as: str = ""
    """The change that has to be acknowledged."""

    @property
    def family(self) -> str:
        """The folder it stands in."""
        return self.module.split(".")[-2]

    @property
    def page(self) -> str:
        """Its docs page: what goes wrong, and how to put it right."""
        return inspect.cleandoc(sys.modules[self.module].__doc__ or "")

    @property
    def title(self) -> str:
        """What is bad, in a line."""
        return self.page.partition("\n")[0].rstrip(".")


def spec_rule(severity: Severity) -> Callable[[Callable[[Subject[Any]], Iterable[Found]]], Rule]:
    """A rule over one spec in one environment."""
    return lambda check: _rule(check.__module__, severity, "spec", check)


def platform_rule(severity: Severity) -> Callable[[Callable[[PlatformSubject], Iterable[Found]]], Rule]:
    """A rule over one environment of the platform file."""
    return lambda check: _rule(check.__module__, severity, "platform", check)


def fleet_rule(severity: Severity) -> Callable[[Callable[[Fleet], Iterable[Found]]], Rule]:
    """A rule over all specs of one environment."""
    return lambda check: _rule(check.__module__, severity, "fleet", check)


def change_rule(severity: Severity, change: str) -> Callable[[Callable[[Changed[Any]], Iterable[Found]]], Rule]:
    """A rule over one spec in one environment, before and after."""
    return lambda check: replace(_rule(check.__module__, severity, "change", check), acknowledged_as=change)


def told_of_change(module: str, severity: Severity, change: str) -> Rule:
    """A rule about what is there no more."""
    return replace(_rule(module, severity, "change", None), acknowledged_as=change)


def told(module: str, severity: Severity) -> Rule:
    """A rule whose findings come from reading or from the models themselves."""
    return _rule(module, severity, "told", None)


def _rule(module: str, severity: Severity, scope: Scope, check: Callable[[Any], Iterable[Found]] | None) -> Rule:
    return Rule(module.rpartition(".")[2].replace("_", "-"), severity, scope, module, check)
