"""`penstock rules`: list the rules."""

from __future__ import annotations

import json

import click

from penstock.terminal.console import painter


@click.command(name="rules", short_help="List the rules.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """List all rules with severity and title. `penstock explain RULE` shows a rule's page."""
    from penstock_spec.catalogue import catalogue

    rules = list(catalogue().values())
    if as_json:
        listed = [
            {"rule": one.name, "severity": one.severity, "family": one.family, "title": one.title} for one in rules
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    paint = painter()
    longest = max(len(one.name) for one in rules)
    family = ""
    for one in rules:
        if one.family != family:
            click.echo(f"{'' if not family else chr(10)}{paint(one.family, 'bold')}")
            family = one.family
        padding = " " * (longest - len(one.name))
        click.echo(f"  {one.name}{padding}  {paint(f'{one.severity:7}', one.severity)}  {one.title}")
