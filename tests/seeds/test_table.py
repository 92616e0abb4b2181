"""Every setting of the source documents has its place here, and the table that says so is true."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from penstock_spec.fields import fields_of, knows
from penstock_spec.kinds import kinds
from penstock_spec.linting.check import PlatformFile
from penstock_spec.model import Section, key_of
from penstock_spec.platform import Environment
from penstock_spec.values.quantity import Quantity

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT.parent / "shared/seeds"
GENERATED = ROOT / "generated"
NAMES = ROOT / "tests/seeds/names.txt"

CLAIMS = ("field", "default", "metric", "runtime", "alerts", "panels", "artifact", "later", "reason")
OTHERS = re.compile(r"(keda|kube)(_[a-z0-9]+)+")


def rows(seeds: ModuleType) -> list[tuple[str, Any]]:
    return [(seed, row) for seed, sections in seeds.read(ROOT).items() for each in sections.values() for row in each]


def committed() -> list[str]:
    return NAMES.read_text(encoding="utf-8").splitlines()


def at(part: Any, path: str) -> Any:  # noqa: ANN401 - a value of any model
    """The value at a path of a model."""
    for step in path.split("."):
        if isinstance(part, Section):
            known = {key_of(name, info): name for name, info in type(part).model_fields.items()}
            part = getattr(part, known[step])
        else:
            part = part[step]
    return part


def same(value: object, expected: object) -> bool:
    """Equal, quantities by their amount."""
    if isinstance(value, Quantity):
        return value == type(value)(str(expected))
    return (type(value) is type(expected) and value == expected) or _number(value) == _number(expected) is not None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def test_each_row_makes_one_claim(seeds: ModuleType) -> None:
    """A field, a metric, an alert, a file, a reason, ...; and what belongs to it, and nothing else."""
    for seed, row in rows(seeds):
        made = [claim for claim in CLAIMS if getattr(row, claim)]
        assert len(made) == 1, (seed, row.name, made)
        assert bool(row.as_) == bool(row.later or (row.artifact and not row.at)), (seed, row.name)
        assert bool(row.artifact) >= bool(row.at), (seed, row.name)
        assert bool(row.spec) + bool(row.platform) == (made == ["field"]), (seed, row.name)
        assert bool(row.because) == (row.ours is not None), (seed, row.name)
        assert row.ours is None or made[0] in ("field", "default") or row.at, (seed, row.name)


def test_nothing_is_told_twice(seeds: ModuleType) -> None:
    """One document's name for a thing stands in one row."""
    told = Counter((seed, name) for seed, row in rows(seeds) for name in (row.name, *row.also))
    assert [one for one, times in told.items() if times > 1] == []


def test_each_field_has_the_value_that_the_table_says(
    seeds: ModuleType, platform: PlatformFile, resolved: Callable[[str, str], Any]
) -> None:
    """In the named spec or environment, as the file and the platform make it."""
    assert platform.model is not None
    for seed, row in rows(seeds):
        if not row.field:
            continue
        whole = platform.model.environments[row.platform] if row.platform else resolved(row.spec, row.in_)
        model: type[Section] = type(whole)
        assert knows(model, row.field), (seed, row.name, row.field)
        value = at(whole, row.field)
        assert same(value, row.here), (seed, row.name, value, row.here)


def test_each_default_is_the_models(seeds: ModuleType) -> None:
    """What a row calls a default is the default of that field."""
    for seed, row in rows(seeds):
        if not row.default:
            continue
        model = Environment if row.of == "platform" else kinds()[row.of].model
        defaults = {one.path: one.info.get_default(call_default_factory=True) for one in fields_of(model)}
        assert row.default in defaults, (seed, row.name, row.default)
        assert same(defaults[row.default], row.here), (seed, row.name, defaults[row.default], row.here)


def test_each_metric_is_told_by_somebody(seeds: ModuleType) -> None:
    """Ours are in the contract; others belong to a program that is there already."""
    named = [row.metric for _, row in rows(seeds) if row.metric]
    assert named
    ours = {name for kind in kinds().values() for name in kind.contract.metrics()}
    assert [name for name in named if name not in ours and not OTHERS.fullmatch(name)] == []


def test_each_alert_and_panel_is_generated(seeds: ModuleType) -> None:
    """Of a pipeline or of an environment, in the files that are committed."""
    rules = [yaml.load(path.read_bytes(), yaml.CSafeLoader) for path in GENERATED.glob("*/*/rules.yaml")]
    alerts = {rule.get("alert") for one in rules for group in one["groups"] for rule in group["rules"]}
    panels = {title for path in GENERATED.glob("*/*/dashboard.json") for title in titles(json.loads(path.read_bytes()))}
    named = [row for _, row in rows(seeds)]
    assert {name for row in named for name in row.alerts} - alerts == set()
    assert {name for row in named for name in row.panels} - panels == set()
    assert any(row.alerts for row in named)
    assert any(row.panels for row in named)


def test_each_generated_file_says_it(seeds: ModuleType) -> None:
    """The value at its path, or at least the file."""
    for seed, row in rows(seeds):
        if not row.artifact:
            continue
        made = yaml.load((GENERATED / row.artifact).read_bytes(), yaml.CSafeLoader)
        assert made
        if row.at:
            value = inside(made, row.at)
            assert same(value, row.here), (seed, row.name, value, row.here)


def titles(dashboard: Any) -> list[str]:  # noqa: ANN401 - JSON
    """Of panels, also in rows that are folded."""
    return [one["title"] for panel in dashboard["panels"] for one in (panel, *panel.get("panels", ()))]


def inside(value: Any, path: str) -> Any:  # noqa: ANN401 - YAML
    """What stands at a path; items of lists by number."""
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


@pytest.mark.parametrize("source", ["committed", *(["documents"] if DOCUMENTS.is_dir() else [])])
def test_every_name_of_the_documents_has_a_row(source: str, seeds: ModuleType, seed_names: ModuleType) -> None:
    """Tables, keys, variables, metrics: by the committed list, and by the documents where they lie beside the house."""
    wanted = committed() if source == "committed" else seed_names.listing(DOCUMENTS)
    told = {f"{seed} {name}" for seed, row in rows(seeds) for name in (row.name, *row.also)}
    assert sorted(set(wanted) - told) == []
    assert set(committed()) == set(wanted)


def test_a_document_is_read_for_what_it_names(seed_names: ModuleType) -> None:
    """The form alone decides: tables, keys, variables, metrics; a block left open ends with the next."""
    text = (
        "| name | is |\n|---|---|\n| `poll` | 5 |\n\nSet `POLL_SECONDS`, see rustic_agents_total.\n"
        "```yaml\nscaling:\n  poll: 5 # s\n  # off: 1\n\n### Not a key: here\n\n"
        "```yaml\nkind: Deployment\nspec:\n  ports:\n  - port: 80\n    name: web\n---\nother: 1\n```\n"
        '```json\n{\n  "metadata": {\n    "source": "x"\n  }\n}\n```\n```python\nkey: int = 1\n```\nname: prose\n'
    )
    assert seed_names.names(text, "000") == {
        "poll", "POLL_SECONDS", "rustic_agents_total", "scaling.poll", "Deployment.spec.ports.port",
        "Deployment.spec.ports.name", "other", "metadata.source",
    }  # fmt: skip


def test_the_page_has_every_row(seeds: ModuleType) -> None:
    """And is what is committed."""
    [(path, text)] = seeds.pages(ROOT).items()
    assert (ROOT / path).read_text(encoding="utf-8") == text
    assert [row.name for _, row in rows(seeds) if f"| `{row.name}`" not in text] == []
