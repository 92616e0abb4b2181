"""`penstock explain`: explain a rule or a generated line."""

from __future__ import annotations

import importlib
import importlib.util
import re
from typing import TYPE_CHECKING

import click

from penstock.terminal.console import painter
from penstock.terminal.options import complete_rule
from penstock_spec.findings import CannotGoOn
from penstock_spec.report.safe import safe
from penstock_spec.repository import PLATFORM_FILE

if TYPE_CHECKING:
    from penstock_spec.examples import Example


ALERT = re.compile(r"Penstock[A-Z][A-Za-z]*")
"""The name of a generated alert."""


@click.command(name="explain", short_help="Explain a rule or a generated line.")
@click.argument("rule", shell_complete=complete_rule, metavar="RULE|FILE:LINE")
def command(rule: str) -> None:
    """Explain what RULE finds, why it matters and how to fix it, with a failing and a passing spec.

    With FILE:LINE, show where that line of a generated file comes from: the fields it depends on, where they are set,
    and the line of the template.

    \b
    Examples:
      penstock explain grace-shorter-than-timeout
      penstock explain generated/production/media-cluster/manifests/scaledobject.yaml:14
    """
    if "/" in rule or ":" in rule:
        _explain_line(rule)
        return
    from penstock_spec.catalogue import catalogue
    from penstock_spec.examples import load
    from penstock_spec.fields import nearest

    known = catalogue().get(rule)
    if known is None:
        close = nearest(rule, list(catalogue()))
        hint = f"did you mean `{close}`?" if close else _hint_for(rule)
        raise CannotGoOn(f"no rule `{rule}`", hint)
    paint = painter()
    click.echo(paint(f"{known.severity}[{known.name}]", known.severity) + paint(f": {known.title}", "bold"))
    click.echo("\n" + known.page.partition("\n")[2].strip())
    examples = load(known)
    for label, example in (("fails", examples.fails[0]), ("passes", examples.passes[0])):
        click.echo(f"\n{paint(f'{label}:', 'bold')}")
        for line in _shown(example):
            click.echo(f"    {line}".rstrip())


def _hint_for(name: str) -> str:
    """Where the name of a field or an alert is explained."""
    from penstock_spec.fields import has_path
    from penstock_spec.kinds import kinds
    from penstock_spec.platform import Platform

    models = {**{kind: one.model for kind, one in kinds().items()}, "platform": Platform}
    pages = [f"`docs/reference/{kind}.md`" for kind, model in models.items() if has_path(model, name)]
    if pages:
        return f"it is a field, see {' or '.join(pages)}; `penstock show SPEC` shows its value"
    if ALERT.fullmatch(name):
        return "it is an alert, see `runbook.md` in `generated/ENVIRONMENT/SPEC/`"
    return "see `penstock rules`"


def _explain_line(place: str) -> None:
    if importlib.util.find_spec("penstock_generate") is None:
        raise CannotGoOn(f"`{place}` is not a rule", "to explain generated files, install `penstock-generate`")
    explaining = importlib.import_module("penstock_generate.terminal.explain")
    explaining.tell(place)


def _shown(example: Example) -> list[str]:
    """The lines of an example's specs and platform file."""
    texts = dict(example.specs)
    if example.platform is not None:
        texts[PLATFORM_FILE] = example.platform
    if not texts:
        return safe_lines(example.spec or example.file or "(no text)")
    return [line for name, text in texts.items() for line in (f"# {name}", *safe_lines(text))]


def safe_lines(text: str) -> list[str]:
    """At most 30 lines, without control characters that move the cursor."""
    return [safe(line[:120]) for line in text.splitlines()[:30]]
