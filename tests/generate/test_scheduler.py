"""The files of any scheduler: alerts with panels and sections, and a runbook whose commands work."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from promql_queries import KNOWN, matched, selectors
from scheduler_specs import NASTY, SPECS, file, planned_scheduler
from servers import Server

from penstock.command import app
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.scheduler.alerts import SchedulerSources, alerts
from penstock_generate.kinds.scheduler.expected_runs import runs_per_second
from penstock_generate.own_templates import BUILT_IN
from penstock_spec.kinds.scheduler.keys import SchedulerKeys
from penstock_spec.kinds.scheduler.rights import OPERATOR, commands

Run = Callable[..., subprocess.CompletedProcess[str]]

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "plain": {"runbooks": "https://runbooks.example"},
    "secret": {"redis": {"addresses": ["[::1]:6380"], "tls": True, "auth": {"secret": "redis", "username": NASTY}}},
    "sentinel": {"redis": {"addresses": ["a:1"], "topology": "sentinel", "master": NASTY}},
}


@pytest.fixture(params=[(spec, around) for spec in SPECS for around in ENVIRONMENTS], ids="-".join)
def it(request: pytest.FixtureRequest, tmp_path: Path) -> PlannedSpec:
    spec, around = request.param
    return planned_scheduler(tmp_path, SPECS[spec], ENVIRONMENTS[around])


def outside_of_code(text: str) -> str:
    return re.sub(r"^```sh\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", outside_of_code(text), re.MULTILINE)


def lines(text: str) -> list[str]:
    """Every line of every block."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_each_alert_has_a_section_and_a_panel_with_its_threshold(it: PlannedSpec) -> None:
    """And queries only exported metrics."""
    its_alerts = alerts(it.spec, SchedulerSources.of(it.around.namespace, it.name))
    page = file(it, "runbook.md")
    assert [one for one in headings(page) if one.startswith("Penstock")] == [one.name for one in its_alerts]
    shown: dict[str, list[float]] = {}
    for panel in json.loads(file(it, "dashboard.json"))["panels"]:
        if panel["type"] == "timeseries":
            thresholds = panel["fieldConfig"]["defaults"].get("thresholds", {"steps": []})["steps"]
            steps = [step["value"] for step in thresholds[1:]]
            for target in panel["targets"]:
                query = target["expr"].replace(',job=~"$job",instance=~"$instance"', "")
                shown.setdefault(query.replace("$__rate_interval", "15m"), []).extend(steps)
    for alert in its_alerts:
        assert alert.threshold in shown[alert.query.text], alert.name
        assert " ".join(alert.expression.split()) in page
        for one in selectors(alert.query.text):
            assert matched(one).keys() <= KNOWN[one.name], alert.name


def test_each_section_is_of_an_alert(tmp_path: Path) -> None:
    """With steps that the alert itself does not have."""
    specs = [planned_scheduler(tmp_path, spec).spec for spec in SPECS.values()]
    known = {one.name for spec in specs for one in alerts(spec, SchedulerSources.of("x", "pets"))}
    files = {one.name.removesuffix(".md.j2"): one for one in (BUILT_IN / "scheduler/runbook").iterdir()}
    assert files.keys() - {"cases"} == known
    for name in known:
        assert "\n1. " in files[name].read_text()


def test_internal_links_work(it: PlannedSpec) -> None:
    page = file(it, "runbook.md")
    anchors = {one.lower().replace(" ", "-") for one in headings(page)}
    links = set(re.findall(r"\]\(#([a-z-]+)\)", page))
    assert len(links) > 5
    assert links <= anchors


def test_commands_of_penstock_are_valid(it: PlannedSpec) -> None:
    """The command itself parses their verbs, options and arguments."""
    penstock_commands = [shlex.split(line) for line in lines(file(it, "runbook.md")) if line.startswith("penstock ")]
    assert len(penstock_commands) > 10
    for words in penstock_commands:
        command: click.Command = app
        rest = words[1:]
        context = click.Context(app, info_name="penstock", **app.context_settings)
        while isinstance(command, click.Group):
            verb = command.get_command(context, rest.pop(0))
            assert verb is not None, words
            command = verb
        assert command.make_context(command.name, rest, parent=context).args == []


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def test_commands_of_redis_are_valid(it: PlannedSpec, server: Server) -> None:
    """A server accepts each unchanged, every key is the scheduler's, and an operator may run it."""
    keys = SchedulerKeys.of(it.spec.keys)
    granted = commands(OPERATOR, it) | {"ping", "info"}
    for line in lines(file(it, "runbook.md")):
        if not line.startswith("redis-cli "):
            continue
        words = list(after_options(shlex.split(line)))
        server.ask(*words)
        assert words[0].lower() in granted, line
        if words[0] not in {"PING", "INFO", "TIME"}:
            assert words[1] in vars_of(keys), line


def vars_of(keys: SchedulerKeys) -> set[str]:
    return {getattr(keys, name) for name in SchedulerKeys.__dataclass_fields__}


def after_options(words: list[str]) -> Iterator[str]:
    left = iter(words[1:])
    for word in left:
        if word in {"-h", "-p", "-n", "--user"}:
            next(left)
        elif word not in {"--tls", "-c"}:
            yield word
            yield from left


def test_a_shell_reads_every_command(it: PlannedSpec) -> None:
    for line in lines(file(it, "runbook.md")):
        assert re.match(
            r"(penstock|redis-cli|kubectl|export (REDISCLI_AUTH|REDIS_PASSWORD)=|set -- |REDIS_HOST=)", line
        ), line
        assert shlex.split(line)


@pytest.mark.parametrize(("name", "expected"), [("plain", round(1 / 30 + 1 / 300, 6)), ("cron", 0), ("listed", None)])
def test_how_many_runs_are_expected(tmp_path: Path, name: str, expected: float | None) -> None:
    """Of jobs with an interval; the jobs of a function are counted when they are registered."""
    assert runs_per_second(planned_scheduler(tmp_path, SPECS[name]).spec) == expected


def test_hourly_jobs_are_not_expected_in_a_quarter_of_an_hour(tmp_path: Path) -> None:
    """They may rightly not run in that time."""
    hourly = planned_scheduler(tmp_path, {"jobs": [{"name": "a", "every": "1h"}, {"name": "b", "every": "10m"}]}).spec
    assert runs_per_second(hourly) == 0
    names = {one.name for one in alerts(hourly, SchedulerSources.of("x", "pets"))}
    assert "PenstockFewJobsTaken" not in names
    mixed = planned_scheduler(tmp_path, {"jobs": [{"name": "a", "every": "1h"}, {"name": "b", "every": "5m"}]}).spec
    assert runs_per_second(mixed) == round(1 / 300, 6)
    by_function = planned_scheduler(tmp_path, SPECS["listed"]).spec
    of_spec = alerts(by_function, SchedulerSources.of("x", "pets"))
    (alert,) = [one for one in of_spec if one.name == "PenstockFewJobsTaken"]
    assert re.search(r"\(max\(penstock_scheduler_mean_interval_seconds\{[^}]*\}\) <= 300\)", alert.query.text)


def test_a_thousand_jobs_fit_into_a_config_map(tmp_path: Path) -> None:
    """`kubectl apply` copies an object into an annotation of at most 256 KiB. Defaults are left out."""
    jobs = [{"name": f"aws/eu-west-1/account-{n:04}", "args": {"account": n}} for n in range(1000)]
    it = planned_scheduler(
        tmp_path, {"handler": "agents:refresh", "image": "agents:1", "jobs": [*jobs, {"name": "first", "priority": 0}]}
    )
    manifest = yaml.load(file(it, "manifests/configmap.yaml"), yaml.CSafeLoader)
    assert len(json.dumps(manifest)) < 2**18
    written = json.loads(manifest["data"]["worker.json"])["spec"]["jobs"]
    assert written == [*jobs, {"name": "first", "priority": 0}]


def test_a_scheduler_is_not_scaled(tmp_path: Path) -> None:
    """The Deployment has a fixed number of pods. The worker files of the pipelines that jobs send to are mounted."""
    it = planned_scheduler(
        tmp_path, {"jobs": [{"name": "a", "every": "1m", "send": {"pipeline": "jobs"}}], "replicas": 7}
    )
    spec = yaml.safe_load(file(it, "manifests/deployment.yaml"))["spec"]
    assert spec["replicas"] == 7
    [container] = spec["template"]["spec"]["containers"]
    assert (container["name"], container["args"]) == ("scheduler", ["scheduler", "run", "/etc/penstock/worker.json"])
    mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert mounts["pipelines"] == "/etc/penstock/pipelines"
    kinds = yaml.safe_load(file(it, "manifests/kustomization.yaml"))["resources"]
    assert not {"scaledobject.yaml", "triggerauthentication.yaml"} & set(kinds)


def test_a_patch_of_a_scaled_object_is_refused(repository: Path, penstock: Run) -> None:
    """A scheduler has none."""
    spec = repository / "specs/cache-agents.yaml"
    patch = "{target: ScaledObject, op: replace, path: /spec/maxReplicaCount, value: 3, reason: more}"
    spec.write_text(f"{spec.read_text()}\npatches: [{patch}]\n")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "this patch changes nothing: there is no ScaledObject in `dev`" in ran.stderr
