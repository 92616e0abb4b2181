"""A spec whose texts have a special meaning to readers of generated files, and patches of every manifest."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from penstock_generate.incremental.folders import all_folders
from penstock_generate.inputs.source import Selection, Source, read_source
from penstock_generate.rendering.yaml_text import document
from penstock_spec.repository import open_repository

LINES = [
    "'", '"', "\\", "a'b\"c\\d", "{{ .Values.name }}", "{{- fail }}", "{% raw %}", "${HOME}", "%s %d %", "$labels",
    "---", "--- a", "...", "# a", "a #b", "a: b", "- a", "&a", "*a", "!a", "|", ">", "@a", "`a`", "  a", "a  ", "null",
    "~", "on", "No", "y", "true", "0x1", "0o17", "017", "1_000", "1e3", "12:30:00", "2026-01-01", "<<", "=",
    '{pod="x"}', "<a&b>", "\u00e9\u00fc\u732b", "\U0001f600", "\ufeff", "\ufffe", "a" * 300, "a b " * 100,
]  # fmt: skip
TEXTS = [
    *LINES, *(f"a\n{line}\nb" for line in LINES), "", "\n", " \n a", "\n\n  a\n b", "a\n", "a\n\n", "\ta", "a\r\nb",
    "\x00\x07\x7f\x85\x9f\u2028", "  - a\n--- \n b",
]  # fmt: skip
"""Values that a user might write into a free text field."""

SPEC: dict[str, Any] = {
    "kind": "pipeline",
    "name": "odd",
    "owner": {"team": "null", "contact": '"#{{ on }}" --- %s'},
    "handler": "odd:handle",
    "image": "team/odd:1.0",
    "stream": {"key": "---'\"%s#{on}:\\\u732b", "group": '0x1"%\\n', "consumer": "'{hostname}\""},
    "message": {
        "encoding": {"json": '  {{ "data" }}'},
        "schema": {"properties": {text: {"description": text} for text in TEXTS}},
        "correlate": "null",
        "log_fields": LINES[:20],
    },
    "work": {"isolation": "process"},
    "retries": {"attempts": 3},
    "scaling": {"paused": True},
    "egress": [
        {"port": 443},
        {"port": 5432, "cidr": "10.20.0.0/16", "namespace": "null"},
        {"port": 53, "protocol": "UDP", "cidr": "fd00::/8"},
    ],
}
REDIS: dict[str, dict[str, Any]] = {
    "auth": {"auth": {"secret": "on", "username": '"{{ x }}"', "password_key": "  0x1: '#"}},
    "no auth": {},
    "authentication of their own": {"auth": {"secret": "redis", "trigger_authentication": "redis-keda"}},
    "cluster": {"topology": "cluster", "addresses": ["a:7000", "b:7001"], "auth": {"secret": "redis"}},
    "sentinel": {"topology": "sentinel", "addresses": ["a:26379", "b:26379"], "master": '"{{ m }}" %\ufffe'},
}
PATCHES = [
    ("Deployment", "add", "/spec/template/spec/nodeSelector", {"null": "on", "a/b~c": "0x1"}),
    ("Deployment", "replace", "/spec/template/spec/nodeSelector/a~1b~0c", "---"),
    ("Deployment", "add", "/spec/template/spec/containers/0/env/-", {"name": "LAST", "value": "{{ x }}"}),
    ("Deployment", "add", "/spec/template/spec/containers/0/env/0", {"name": "FIRST", "value": "a\n--- \n b"}),
    ("Deployment", "remove", "/spec/template/spec/containers/0/volumeMounts/1", None),
    ("Deployment", "replace", "/spec/template/spec/containers/0/args/1", "elsewhere.json"),
    ("Deployment", "remove", "/spec/template/spec/affinity", None),
    ("Deployment", "replace", "/spec/template/spec/volumes", []),
    ("Deployment", "add", "/spec/template/spec/volumes/-", {"name": "tmp", "emptyDir": {}, "many": 12345678}),
    ("Deployment", "add", "/spec/template/spec/hostUsers", None),
    ("ServiceAccount", "add", "/metadata/annotations", {f"a{index}": text for index, text in enumerate(TEXTS)}),
    ("ScaledObject", "replace", "/spec/triggers/0/metadata/streamLength", "7"),
    ("ScaledObject", "replace", "/spec/maxReplicaCount", 2000000),
    ("ConfigMap", "add", "/data/more", "  a\n b\n"),
    ("PrometheusRule", "remove", "/spec/groups/1/rules/0", None),
    ("PodMonitor", "add", "/spec/podMetricsEndpoints/0/relabelings", [{"action": "keep", "regex": '{a="b"}'}]),
    ("NetworkPolicy", "remove", "/spec/ingress/0", None),
    ("PodDisruptionBudget", "replace", "/spec/maxUnavailable", "50%"),
    ("TriggerAuthentication", "add", "/metadata/annotations", {"a": "on"}),
]


def generated(folder: Path, spec: dict[str, Any], redis: dict[str, Any], patches: Iterable[Any] = ()) -> Path:
    """Generate the files of one spec and return their folder."""
    auth = redis.get("auth", {})
    if not auth or "trigger_authentication" in auth:  # nothing to patch
        patches = [one for one in patches if one[0] != "TriggerAuthentication"]
    changes = [dict(zip(("target", "op", "path", "value"), one, strict=True), reason="odd") for one in patches]
    environment = {
        "namespace": "null",
        "redis": {"addresses": ["redis:6380"], **redis},
        "image_prefix": "registry.example/mirror",
        "found_by": {
            "monitors": {"release": "on", "example.com/n_o": ""},
            "rules": {"0x1": "1e3"},
            "dashboards": {"grafana": "true"},
        },
        "dashboard_folder": '  "{{ folder }}" %',
        "runbooks": "https://runbooks.example/{{a}}?b=%22'\"",
    }
    (folder / "specs").mkdir(parents=True)
    (folder / "specs/odd.yaml").write_text(document({**spec, "patches": changes}))
    (folder / "penstock.yaml").write_text(document({"kind": "platform", "environments": {"on": environment}}))
    source = read_source(open_repository((), None, folder), Selection(), date(2026, 1, 1))
    assert isinstance(source, Source), source.outcome.findings
    for artifact in (artifact for generated in all_folders(source) for artifact in generated.artifacts):
        path = folder / "generated" / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content.encode())
    return folder / "generated/on/odd"
