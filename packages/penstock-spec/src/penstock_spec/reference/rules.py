"""The page of a rule, with its examples run, and the index of all rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

from penstock_spec.examples import Example, load
from penstock_spec.reference.run import shown_files, told
from penstock_spec.reference.table import table
from penstock_spec.rules.define import Rule

SCOPE = {
    "reported": "checks one file while it is read, and cannot be suppressed",
    "spec": "looks at one spec, in every environment",
    "platform": "looks at one environment of the platform file",
    "change": "looks at what was generated before, and is told by `penstock generate` and `penstock diff`",
    "fleet": "looks at all specs of an environment together",
}
INDEX = """\
# Rules

Every finding carries the name of its rule: `error[grace-shorter-than-timeout]`. An *error* will not work, loses work or
is unsafe; a *warning* is probably not meant; an *info* is a value without effect. `penstock explain RULE` shows the
page of a rule.
"""


def page(rule: Rule) -> str:
    """What goes wrong, how to put it right, what fails and what passes."""
    body = rule.page.partition("\n")[2].strip()
    parts = [f"# {rule.name}", f"**{rule.title}.**", f"*{rule.severity}*: {SCOPE[rule.scope]}."]
    parts += [body] if body else []
    examples = load(rule)
    parts += ["## This fails", *_files(examples.fails[0]), _fenced("text", told(rule.name, examples.fails[0]))]
    parts += ["## This passes", *_files(examples.passes[0])]
    return "\n\n".join(parts) + "\n"


def index(rules: Iterable[Rule]) -> str:
    """All rules, family by family."""
    parts = [INDEX]
    for package, members in groupby(rules, key=lambda rule: rule.module.rpartition(".")[0]):
        rows = [(f"[`{rule.name}`]({rule.name}.md)", rule.severity.value, rule.title) for rule in members]
        about = (sys.modules[package].__doc__ or "").strip()
        name = package.rpartition(".")[2]
        parts += [f"## {name.capitalize()}\n", f"{about}\n", table(("rule", "severity", "what is bad"), rows)]
    return "\n".join(parts)


def _files(example: Example) -> Iterator[str]:
    """Each file under its name; a snippet of the one spec needs none."""
    files = shown_files(example)
    for name, text in files.items():
        if len(files) > 1 or example.spec is None:
            yield f"`{name}`:"
        yield _fenced("json" if name.endswith(".json") else "yaml", text) if text else "(nothing)"


def _fenced(language: str, text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in text.split() if set(run) == {"`"}), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
