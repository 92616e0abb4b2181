"""Describes the changes of a file in words, with one reader per kind of file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from penstock_generate.diffing.compare_values import changed
from penstock_generate.inputs.plan import DOMAIN


class Change(NamedTuple):
    """One change."""

    section: str
    says: str


Reader = Callable[[Any, Any], Iterator[Change]]
THRESHOLD = re.compile(r"(.*) (>=|>|<) ([0-9.e+]+)", re.DOTALL)
ROLES = ("worker", "scheduler")
"""Containers that run a spec."""
KNOWN = {
    "ScaledObject": {
        "spec.minReplicaCount": "min replicas",
        "spec.maxReplicaCount": "max replicas",
        "spec.pollingInterval": "polling interval (seconds)",
        "spec.cooldownPeriod": "cooldown (seconds)",
        "spec.fallback.replicas": "fallback replicas",
        "spec.fallback.failureThreshold": "failures before fallback",
        "spec.advanced.scalingModifiers.formula": "formula",
        "spec.advanced.scalingModifiers.target": "backlog per replica",
    },
    "Deployment": {
        "spec.replicas": "pods",
        **{
            f"spec.template.spec.containers[{role}].{path}": words
            for role in ROLES
            for path, words in {
                "image": "image",
                "resources.requests.cpu": "cpu",
                "resources.limits.memory": "memory",
            }.items()
        },
    },
}
"""Names for fields of manifests."""
SAME = {
    "spec.template.spec.terminationGracePeriodSeconds",
    *(f"spec.template.spec.containers[{role}].resources.requests.memory" for role in ROLES),
    f"spec.template.metadata.annotations.{DOMAIN}/spec",
    f"spec.template.metadata.annotations.{DOMAIN}/specs",
}
"""Fields that follow from others, which are reported."""
TRIGGER = re.compile(r"spec\.triggers\[(\w+)\]\.(?:metadata\.)?(.*)")


def of_worker(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """`worker.json`."""
    for part, section in (("spec", "worker"), ("around", "platform")):
        for one in changed(before.get(part, {}), after.get(part, {})):
            if not one.path.startswith("message.schema") and one.path != "image":
                yield Change(section, str(one))
    for one in changed(before.get("schema") or {}, after.get("schema") or {}):
        yield Change("message", f"schema: {one}")


def of_manifest(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """A Kubernetes manifest."""
    kind = str((after or before).get("kind", ""))
    section = "scaling" if kind == "ScaledObject" else "manifests"
    if not before or not after:
        yield Change(section, f"{kind} {'removed' if before else 'added'}")
        return
    for one in changed(before, after):
        if one.path in SAME:
            continue
        words = KNOWN.get(kind, {}).get(one.path)
        trigger = TRIGGER.fullmatch(one.path)
        if words:
            yield Change("worker" if kind == "Deployment" else section, str(one._replace(path=words)))
        elif trigger and kind == "ScaledObject":
            yield Change(section, str(one._replace(path=f"trigger {trigger[1]}: {trigger[2]}")))
        else:
            yield Change(section, f"{kind}: {one}")


def of_rules(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """`rules.yaml`: alerts and recording rules."""
    old, new = _rules(before), _rules(after)
    for name, rule in new.items():
        if name not in old:
            yield Change("alerts", f"{name} added")
            continue
        yield from (Change("alerts", f"{name} {text}") for text in _of_rule(old[name], rule))
    yield from (Change("alerts", f"{name} removed") for name in old if name not in new)


def _rules(groups: Any) -> dict[str, Mapping[str, Any]]:  # noqa: ANN401 - as read
    rules = (rule for group in (groups or {}).get("groups", []) for rule in group["rules"])
    return {str(rule.get("alert") or rule.get("record")): rule for rule in rules}


def _of_rule(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    old, new = (THRESHOLD.fullmatch(str(rule.get("expr", ""))) for rule in (before, after))
    if before.get("expr") != after.get("expr"):
        if old and new and old[1] == new[1]:
            yield f"fires at {new[2]} {new[3]} instead of {old[2]} {old[3]}"
        else:
            yield "has another query"
    if before.get("for") != after.get("for"):
        yield f"fires after {after.get('for', '0m')} instead of {before.get('for', '0m')}"
    for one in changed(before.get("labels", {}), after.get("labels", {})):
        yield str(one)
    if before.get("annotations") != after.get("annotations") and before.get("expr") == after.get("expr"):
        yield "has another text"


def of_dashboard(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """`dashboard.json`: panels by title."""
    old, new = (dict(_panels((one or {}).get("panels", []))) for one in (before, after))
    for title in (*new, *(title for title in old if title not in new)):
        if title not in old or title not in new:
            yield Change("dashboard", f"panel `{title}` {'added' if title in new else 'removed'}")
        elif old[title] != new[title]:
            yield Change("dashboard", f"panel `{title}` changed")


def _panels(panels: list[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for panel in panels:
        yield str(panel.get("title")), {key: value for key, value in panel.items() if key not in ("gridPos", "panels")}
        yield from _panels(panel.get("panels", []))


def of_lines(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """`acl.txt`: rights."""
    old, new = (str(one or "").splitlines() for one in (before, after))
    for line in new:
        if line not in old:
            yield Change("access", f"{' '.join(line.split()[:3])} changed")


def of_environment(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """Data without a description of its own."""
    yield from (Change("settings", str(one)) for one in changed(before or {}, after or {}))


def nothing(before: Any, after: Any) -> Iterator[Change]:  # noqa: ANN401 - as read
    """Files with the same content as another file."""
    del before, after
    yield from ()


READERS: tuple[tuple[str, Reader], ...] = (
    ("worker.json", of_worker),
    ("manifests/configmap.yaml", nothing),
    ("manifests/prometheusrule.yaml", nothing),
    ("manifests/dashboard.yaml", nothing),
    ("manifests/overview.yaml", nothing),
    ("manifests/kustomization.yaml", nothing),
    ("manifests/", of_manifest),
    ("rules.test.yaml", nothing),
    ("rules.yaml", of_rules),
    ("dashboard.json", of_dashboard),
    ("overview.json", of_dashboard),
    ("acl.txt", of_lines),
    ("terraform.tfvars.json", of_environment),
    ("values.yaml", nothing),
    ("FILES", nothing),
)
"""By the beginning of the path inside the folder; the first match counts."""


def describe(name: str, before: bytes | None, after: bytes | None) -> Iterator[Change] | None:
    """The changes of a file by its path inside the folder; None if no reader describes it."""
    for start, reader in READERS:
        if name.startswith(start):
            return reader(_read(name, before), _read(name, after))
    return None


def _read(name: str, raw: bytes | None) -> Any:  # noqa: ANN401 - as it is written
    if raw is None:
        return {}
    try:
        if name.endswith(".json"):
            return json.loads(raw)
        return yaml.load(raw, yaml.CSafeLoader) if name.endswith(".yaml") else raw.decode("utf-8", "replace")
    except (ValueError, yaml.YAMLError):
        return {}
