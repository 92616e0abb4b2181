"""The page of a rule, with the findings of its example, and the index of all rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

from penstock_spec.examples import Example, load
from penstock_spec.reference.run import displayed_files, findings_text
from penstock_spec.reference.table import table
from penstock_spec.rules.define import Rule

SCOPE = {
    "reported": "checked while a file is read; it cannot be suppressed",
    "spec": "checked for each spec, in each environment",
    "platform": "checked for each environment of the platform file",
    "change": "checked by `penstock generate` and `penstock diff`, which compare the specs with the generated files",
    "fleet": "checked for all specs of an environment together",
}
INDEX = """\
# Rules

Every finding has the name of its rule: `error[grace-shorter-than-timeout]`. An *error* does not work, loses messages or
is unsafe; a *warning* is probably a mistake; an *info* is a value without effect. `penstock explain RULE` shows the
page of a rule. The [glossary](../reference/glossary.md) explains terms such as *parked*, *suspect* and *lease*.
"""


def page(rule: Rule) -> str:
    """The page: what goes wrong, how to fix it, an example that fails and one that passes."""
    body = rule.page.partition("\n")[2].strip()
    parts = [f"# {rule.name}", f"**{rule.title}.**", f"*{rule.severity}*: {SCOPE[rule.scope]}."]
    parts += [body] if body else []
    examples = load(rule)
    parts += ["## This fails", *_files(examples.fails[0]), _fenced("text", findings_text(rule.name, examples.fails[0]))]
    parts += ["## This passes", *_files(examples.passes[0])]
    return "\n\n".join(parts) + "\n"


def index(rules: Iterable[Rule]) -> str:
    """The index of all rules by family."""
    parts = [INDEX]
    for package, members in groupby(rules, key=lambda rule: rule.module.rpartition(".")[0]):
        rows = [(f"[`{rule.name}`]({rule.name}.md)", rule.severity.value, rule.title) for rule in members]
        about = (sys.modules[package].__doc__ or "").strip()
        name = package.rpartition(".")[2]
        parts += [f"## {name.capitalize()}\n", f"{about}\n", table(("rule", "severity", "problem"), rows)]
    return "\n".join(parts)


def _files(example: Example) -> Iterator[str]:
    """Each file with its name; a single spec is shown without."""
    files = displayed_files(example)
    for name, text in files.items():
        if len(files) > 1 or example.spec is None:
            yield f"`{name}`:"
        yield _fenced("json" if name.endswith(".json") else "yaml", text) if text else "(nothing)"


def _fenced(language: str, text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in text.split() if set(run) == {"`"}), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
