"""Each item of the documents behind the design has a row in the table, and each claim of a row is true."""

from __future__ import annotations

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from penstock_spec.fields import fields_of, has_path
from penstock_spec.kinds import kinds
from penstock_spec.linting.check import PlatformFile
from penstock_spec.model import Section, key_of
from penstock_spec.platform import Environment
from penstock_spec.values.quantity import Quantity

ROOT = Path(__file__).parents[2]
DOCUMENTS = Path(os.environ.get("PENSTOCK_ORIGINS", "-"))
"""A folder with the documents, which are not part of the repository."""
GENERATED = ROOT / "generated"
NAMES = ROOT / "tests/origins/names.txt"

CLAIMS = ("field", "default", "metric", "runtime", "alerts", "panels", "artifact", "later", "reason")
OTHER_PROGRAMS = re.compile(r"(keda|kube)(_[a-z0-9]+)+")


def rows(origins: ModuleType) -> list[tuple[str, Any]]:
    return [(name, row) for name, document in origins.read(ROOT).documents.items() for row in document.rows]


def committed() -> list[str]:
    return NAMES.read_text(encoding="utf-8").splitlines()


def value_at(part: Any, path: str) -> Any:  # noqa: ANN401 - a value of any model
    """The value at a path of a model."""
    for step in path.split("."):
        if isinstance(part, Section):
            known = {key_of(name, info): name for name, info in type(part).model_fields.items()}
            part = getattr(part, known[step])
        else:
            part = part[step]
    return part


def same(value: object, expected: object) -> bool:
    """Equal; quantities by their amount."""
    if isinstance(value, Quantity):
        return value == type(value)(str(expected))
    return (type(value) is type(expected) and value == expected) or _number(value) == _number(expected) is not None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def test_each_row_makes_one_claim(origins: ModuleType) -> None:
    """A field, a metric, an alert, a file, a reason, ...; and only keys that belong to that claim."""
    for document, row in rows(origins):
        claims = [claim for claim in CLAIMS if getattr(row, claim)]
        assert len(claims) == 1, (document, row.name, claims)
        assert bool(row.as_) == bool(row.later or (row.artifact and not row.at)), (document, row.name)
        assert bool(row.artifact) >= bool(row.at), (document, row.name)
        assert bool(row.spec) + bool(row.platform) == (claims == ["field"]), (document, row.name)
        assert bool(row.because) >= (row.here is not None), (document, row.name)
        assert row.here is None or claims[0] in ("field", "default") or row.at, (document, row.name)
        assert bool(row.test) == bool(row.runtime), (document, row.name)


def test_no_item_has_two_rows(origins: ModuleType) -> None:
    """Each name of a document is in one row."""
    counts = Counter((document, name) for document, row in rows(origins) for name in (row.name, *row.also))
    assert [one for one, times in counts.items() if times > 1] == []


def test_each_field_has_the_value_of_the_table(
    origins: ModuleType, platform: PlatformFile, resolved: Callable[[str, str], Any]
) -> None:
    """In the spec or environment of the row."""
    assert platform.model is not None
    for document, row in rows(origins):
        if not row.field:
            continue
        model: Section = platform.model.environments[row.platform] if row.platform else resolved(row.spec, row.in_)
        assert has_path(type(model), row.field), (document, row.name, row.field)
        value = value_at(model, row.field)
        assert same(value, row.expected), (document, row.name, value, row.expected)


def test_each_default_is_the_default_of_the_model(origins: ModuleType) -> None:
    """In a kind of spec, or in an environment of the platform file."""
    for document, row in rows(origins):
        if not row.default:
            continue
        model = Environment if row.of == "platform" else kinds()[row.of].model
        defaults = {one.path: one.info.get_default(call_default_factory=True) for one in fields_of(model)}
        assert row.default in defaults, (document, row.name, row.default)
        assert same(defaults[row.default], row.expected), (document, row.name, defaults[row.default], row.expected)


def test_each_metric_is_exported(origins: ModuleType) -> None:
    """By Penstock, Kubernetes or KEDA."""
    named = [row.metric for _, row in rows(origins) if row.metric]
    assert named
    contract = {name for kind in kinds().values() for name in kind.contract.metrics()}
    assert [name for name in named if name not in contract and not OTHER_PROGRAMS.fullmatch(name)] == []


def test_each_claim_about_the_runtime_names_a_test(origins: ModuleType) -> None:
    """As `path::test`, and the test exists."""
    named = [row.test for _, row in rows(origins) if row.test]
    assert named
    assert [one for one in named if one.partition("::")[2] not in names_of_tests(ROOT / one.partition("::")[0])] == []


def names_of_tests(path: Path) -> Iterator[str]:
    """The names of the tests of a module; none if there is no such module."""
    tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    return (one.name for one in tree.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))


def test_each_alert_and_panel_is_generated(origins: ModuleType) -> None:
    """In the committed files of a spec or of an environment."""
    rules = [yaml.load(path.read_bytes(), yaml.CSafeLoader) for path in GENERATED.glob("*/*/rules.yaml")]
    alerts = {rule.get("alert") for one in rules for group in one["groups"] for rule in group["rules"]}
    panels = {title for path in GENERATED.glob("*/*/dashboard.json") for title in titles(json.loads(path.read_bytes()))}
    named = [row for _, row in rows(origins)]
    assert {name for row in named for name in row.alerts} - alerts == set()
    assert {name for row in named for name in row.panels} - panels == set()
    assert any(row.alerts for row in named)
    assert any(row.panels for row in named)


def test_each_generated_file_has_the_value_of_the_table(origins: ModuleType) -> None:
    """The file exists, and has the value at the path if the row has one."""
    for document, row in rows(origins):
        if not row.artifact:
            continue
        content = yaml.load((GENERATED / row.artifact).read_bytes(), yaml.CSafeLoader)
        assert content
        if row.at:
            value = yaml_at(content, row.at)
            assert same(value, row.expected), (document, row.name, value, row.expected)


def titles(dashboard: Any) -> list[str]:  # noqa: ANN401 - JSON
    """The titles of all panels, those in collapsed rows too."""
    return [one["title"] for panel in dashboard["panels"] for one in (panel, *panel.get("panels", ()))]


def yaml_at(value: Any, path: str) -> Any:  # noqa: ANN401 - YAML
    """The value at a path; items of lists by number."""
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


@pytest.mark.parametrize("source", ["committed", *(["documents"] if DOCUMENTS.is_dir() else [])])
def test_every_name_of_the_documents_has_a_row(source: str, origins: ModuleType, origin_names: ModuleType) -> None:
    """By the committed list, and by the documents themselves if `PENSTOCK_ORIGINS` names their folder."""
    wanted = committed() if source == "committed" else origin_names.listing(DOCUMENTS)
    named = {f"{document} {name}" for document, row in rows(origins) for name in (row.name, *row.also)}
    assert sorted(set(wanted) - named) == []
    assert set(committed()) == set(wanted)


def test_items_are_recognized_by_their_form(origin_names: ModuleType) -> None:
    """Tables, keys, variables, metrics; a block that is never closed ends at the next block."""
    text = (
        "| name | is |\n|---|---|\n| `poll` | 5 |\n\nSet `POLL_SECONDS`, see rustic_agents_total.\n"
        "```yaml\nscaling:\n  poll: 5 # s\n  # off: 1\n\n### Not a key: here\n\n"
        "```yaml\nkind: Deployment\nspec:\n  ports:\n  - port: 80\n    name: web\n---\nother: 1\n```\n"
        '```json\n{\n  "metadata": {\n    "source": "x"\n  }\n}\n```\n```python\nkey: int = 1\n```\nname: prose\n'
    )
    assert origin_names.names(text, "agent-queue-keda") == {
        "poll", "POLL_SECONDS", "rustic_agents_total", "scaling.poll", "Deployment.spec.ports.port",
        "Deployment.spec.ports.name", "other", "metadata.source",
    }  # fmt: skip


def test_the_page_has_every_row(origins: ModuleType) -> None:
    """The committed page is up to date."""
    [(path, text)] = origins.pages(ROOT).items()
    assert (ROOT / path).read_text(encoding="utf-8") == text
    assert [row.name for _, row in rows(origins) if f"| `{row.name}`" not in text] == []
