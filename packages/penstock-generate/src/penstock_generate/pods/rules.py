"""Rules for Prometheus about a spec, and their promtool tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from penstock_generate.alerts import prepared
from penstock_generate.alerts.define import Alert, names_in_queries
from penstock_generate.alerts.rules import suite
from penstock_generate.dashboards.uid import uid
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.inputs.references import dashboard, runbook
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.placeholders import YAML, FilledValues
from penstock_generate.rendering.yaml_text import YamlText, document, scalar
from penstock_spec.kinds import kinds

DASHBOARD = "penstock:dashboard:info"
"""A recorded series with the value 1 and the uid of the spec's dashboard as a label, for links from overviews."""
FILE = "rules.yaml"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a spec as text."""

    groups: YamlText
    tests: YamlText


def of(it: PlannedSpec, alerts: Iterable[Alert], recorded: Mapping[str, str]) -> Rules:
    """The recording rules and the alerts."""
    drawn = uid(it.environment, it.name)
    by_name = {
        "namespace": it.around.namespace,
        "name": it.name,
        "team": it.spec.owner.team,
        "uid": drawn,
        "runbook": runbook(it.around, it.folder),
        "dashboard": dashboard(it.around, drawn),
        **names_in_queries(it.around.namespace, it.name),
    }
    frame = prepared.AlertFrame(
        label_of(it.spec.kind), by_name["runbook"] is not None, by_name["dashboard"] is not None
    )
    values = FilledValues(YAML, by_name)
    written = prepared.filled(frame, alerts, values)
    groups = {"recorded": prepared.recorded(frame, recorded, DASHBOARD, values), "alerts": written.rules}
    each = (f"\n- name: {scalar(f'{it.name}.{what}')}\n  rules:{rules}" for what, rules in groups.items())
    return Rules(YamlText("".join(each)), YamlText(written.tests))


def files(it: PlannedSpec, rules: Rules) -> Iterator[Artifact]:
    """The rules file and its tests."""
    yield Artifact(f"{it.folder}/{FILE}", document({"groups": rules.groups}), __name__)
    yield Artifact(f"{it.folder}/rules.test.yaml", document(suite(FILE, rules.tests)), __name__)


def label_of(kind: str) -> str:
    """The label with the spec's name that all metrics of a kind have."""
    return kinds()[kind].contract.shared.name
