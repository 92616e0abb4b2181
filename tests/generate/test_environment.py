"""What belongs to an environment as a whole: least rights, no secret, and one name for one thing."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from penstock_generate import environment as of_environment
from penstock_generate.environment import alertmanager, compose, manifests, terraform
from penstock_generate.environment.alerts import alerts
from penstock_generate.inputs.plan import Member, PlannedEnvironment
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.pipeline.scaler.scaled_object import JANITOR
from penstock_spec.platform import Environment

Run = Callable[..., CompletedProcess[str]]
ENVIRONMENTS = ("dev", "production")


@pytest.fixture(params=ENVIRONMENTS)
def folder(root: Path, request: pytest.FixtureRequest) -> Path:
    """Of a whole environment, as it is committed."""
    return root / "generated" / str(request.param) / "_environment"


def manifest(folder: Path, kind: str) -> Any:  # noqa: ANN401 - whatever Kubernetes reads
    return yaml.safe_load((folder / f"manifests/{kind}.yaml").read_text())


def members(folder: Path) -> dict[str, Any]:
    """The pipelines of this environment, by name."""
    told = {file.parent.name: json.loads(file.read_text())["spec"] for file in folder.parent.glob("*/worker.json")}
    return {name: spec for name, spec in sorted(told.items()) if spec["kind"] == "pipeline"}


def whole(*names: str, **around: object) -> PlannedEnvironment:
    """An environment with these pipelines."""
    model = Environment.model_validate({"namespace": "tests", "redis": {"addresses": ["redis:6379"]}, **around})
    found = [
        Member(
            name=name,
            kind="pipeline",
            team="team",
            digest="sha256:0",
            role="worker",
            args=("worker",),
            maintained=True,
            scaled=True,
            patches_pods=False,
            image=f"{name}:1",
            connections=30,
            grace_seconds=90,
            backlog=10,
            backlog_bytes=10 * 1024,
        )
        for name in names
    ]
    return PlannedEnvironment("dev", model, tuple(found), "penstock.yaml", "1.2.3")


# The janitor's manifests.


def test_it_may_look_at_pods_and_no_more(folder: Path) -> None:
    """Patching is for those who protect busy pods: production has one of them, dev has none."""
    role, binding = manifest(folder, "role"), manifest(folder, "rolebinding")
    protects = [spec["scaling"]["protect_busy"] for spec in members(folder).values()]
    verbs = ["get", "list", "patch"] if any(protects) else ["get", "list"]
    assert role["kind"] == "Role"
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": verbs}]
    account = manifest(folder, "serviceaccount")["metadata"]
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "Role",
        "name": role["metadata"]["name"],
    }
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": account["name"], "namespace": account["namespace"]}
    ]


def test_patching_follows_the_specs(repository: Path, penstock: Run) -> None:
    """`scaling.protect_busy` anywhere in an environment brings the right to it, and nothing else does."""
    verbs = []
    for says in ("false", "true"):
        for file in (repository / "specs").glob("*.yaml"):
            text = re.sub(r"protect_busy: \w+", f"protect_busy: {says}", file.read_text())
            file.write_text(text)
        assert penstock("generate").returncode == 0
        role = manifest(repository / "generated/production/_environment", "role")
        verbs.append(role["rules"][0]["verbs"])
    assert verbs == [["get", "list"], ["get", "list", "patch"]]


def test_it_mounts_each_pipeline(folder: Path) -> None:
    """By its own ConfigMap, which that pipeline's manifests have, and under its name."""
    volumes = manifest(folder, "deployment")["spec"]["template"]["spec"]["volumes"]
    (sources,) = [volume["projected"]["sources"] for volume in volumes if "projected" in volume]
    names = members(folder)
    assert len(names) == 5
    assert [source["configMap"] for source in sources] == [
        {"name": name, "optional": True, "items": [{"key": "worker.json", "path": f"{name}.json"}]} for name in names
    ]
    for name in names:
        told = yaml.safe_load((folder.parent / name / "manifests/configmap.yaml").read_text())
        assert (told["metadata"]["name"], [*told["data"]]) == (name, ["worker.json"])


def test_any_spec_that_changes_starts_it_anew(repository: Path, penstock: Run) -> None:
    """As it reads the files once. A threshold of an alert is none of its affairs."""

    def annotation() -> str:
        assert penstock("generate", "--env", "production").returncode == 0
        template = manifest(repository / "generated/production/_environment", "deployment")["spec"]["template"]
        return str(template["metadata"]["annotations"]["penstock.dev/specs"])

    before = annotation()
    spec = repository / "specs/media-cluster.yaml"
    text = spec.read_text()
    spec.write_text(text.replace("backlog_age: 5m", "backlog_age: 6m"))
    assert spec.read_text() != text
    assert annotation() == before
    spec.write_text(text.replace("timeout: 60s", "timeout: 61s"))
    assert spec.read_text() != text
    assert annotation() != before


def test_the_scaler_asks_where_the_janitor_listens(folder: Path) -> None:
    """The address in each ScaledObject is that of the Service, which leads to the container's port."""
    service, deployment = manifest(folder, "service"), manifest(folder, "deployment")
    address = urlsplit(JANITOR.format(namespace=service["metadata"]["namespace"], name="any"))
    assert address.hostname == f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    (port,) = service["spec"]["ports"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert (port["port"], port["targetPort"]) == (address.port, "http")
    assert container["ports"] == [{"name": "http", "containerPort": address.port, "protocol": "TCP"}]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for kind in ("service", "podmonitor", "networkpolicy", "poddisruptionbudget"):
        said = manifest(folder, kind)["spec"]
        chosen = said.get("podSelector") or said["selector"]
        chosen = chosen.get("matchLabels", chosen)
        assert chosen.items() <= labels.items()


@pytest.mark.parametrize("name", ["media-cluster", "cache-agents", "_environment"])
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_pods_are_restricted(root: Path, environment: str, name: str) -> None:
    """Workers' and janitor's alike, as Pod Security's `restricted` asks; and their root is read-only."""
    deployment = manifest(root / "generated" / environment / name, "deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "fsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"].keys() == {"requests", "limits"}
    assert {"livenessProbe", "readinessProbe", "startupProbe"} <= container.keys()
    assert pod["automountServiceAccountToken"] is (name == "_environment")
    assert pod["topologySpreadConstraints"]
    assert pod["affinity"]["podAntiAffinity"]
    for volume in pod["volumes"]:
        assert volume.keys() - {"name"} <= {"configMap", "projected", "secret", "emptyDir"}


def test_the_janitor_reaches_what_it_needs(folder: Path) -> None:
    """DNS, Redis and the Kubernetes API."""
    policy = manifest(folder, "networkpolicy")["spec"]
    ports = [[port["port"] for port in rule["ports"]] for rule in policy["egress"]]
    assert {"ipBlock": {"cidr": "169.254.0.0/16"}} in policy["egress"][0]["to"]  # a cache of names on the node
    assert ports == [[53, 53], [6380 if "production" in str(folder) else 6379], [443, 6443]]
    assert policy["ingress"] == [{"ports": [{"port": "http", "protocol": "TCP"}]}]


@pytest.mark.parametrize(
    ("janitor", "image"),
    [
        ({}, "mirror.example/penstock-janitor:1.2.3"),
        ({"image": "ours:7"}, "mirror.example/ours:7"),
        ({"image": "quay.example/ours:7"}, "quay.example/ours:7"),
    ],
)
def test_which_image_it_is(janitor: Mapping[str, str], image: str) -> None:
    it = whole("pets", janitor=janitor, image_prefix="mirror.example/")
    files = {file.path: file.content for file in manifests.emit(it, Templates())}
    pod = yaml.safe_load(files["dev/_environment/manifests/deployment.yaml"])["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == image
    assert image in terraform.needs(it)["images"]


def test_no_spec_takes_the_janitors_name(repository: Path, penstock: Run) -> None:
    spec = repository / "specs/tankpit-jobs.yaml"
    spec.write_text(spec.read_text().replace("name: tankpit-jobs", "name: penstock-janitor"))
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "specs/tankpit-jobs.yaml: a spec cannot be named `penstock-janitor`" in ran.stderr


def test_a_choice_of_specs_leaves_it_alone(repository: Path, penstock: Run) -> None:
    """What belongs to all follows when all are generated; with `--env`, that of this environment."""
    assert penstock("generate").returncode == 0
    files = {file: file.read_bytes() for file in (repository / "generated").rglob("_environment/**/*.*")}
    spec = repository / "specs/media-cluster.yaml"
    spec.write_text(spec.read_text().replace("timeout: 60s", "timeout: 61s"))
    assert penstock("generate", "--only", "media-cluster").returncode == 0
    assert {file: file.read_bytes() for file in files} == files
    assert penstock("generate", "--env", "dev").returncode == 0
    changed = {
        file.relative_to(repository / "generated").parts[0] for file in files if file.read_bytes() != files[file]
    }
    assert changed == {"dev"}


# Alerts and their ways.


@pytest.mark.parametrize("topology", ["standalone", "cluster", "sentinel"])
def test_each_alert_has_a_heading(root: Path, topology: str) -> None:
    """So that its `runbook_url` leads somewhere; and the page has no others."""
    there = "templates/environment/runbook.md.j2"
    master = {"master": "main"} if topology == "sentinel" else {}
    redis = {"addresses": ["a:1"], "topology": topology, "connections": 10, **master}
    names = [alert.name for alert in alerts(whole("pets", redis=redis))]
    assert len(names) == len(set(names))
    known = re.findall(r'call about\("(\w+)"\)', (root / there).read_text())
    assert set(names) <= set(known)
    if topology != "standalone":
        assert set(names) == set(known)


def test_the_page_says_what_is_alerted(folder: Path) -> None:
    rules = yaml.safe_load((folder / "rules.yaml").read_text())["groups"][0]["rules"]
    text = (folder / "runbook.md").read_text()
    assert sorted(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == sorted(rule["alert"] for rule in rules)
    for rule in rules:
        assert f"`{rule['expr']}`" in text


def test_numbers_of_the_platform_are_the_alerts(folder: Path) -> None:
    """80 % of `redis.connections`, and a tenth of `redis.timeouts.answer`."""
    rules = {rule["alert"]: rule for rule in yaml.safe_load((folder / "rules.yaml").read_text())["groups"][0]["rules"]}
    most = 52000 if "production" in str(folder) else 8000
    assert rules["PenstockRedisConnectionsNearLimit"]["expr"].endswith(f"> {most}")
    assert rules["PenstockRedisSlow"]["expr"].endswith("> 0.3")


ROUTES: Mapping[str, Mapping[str, str]] = {
    "both": {"slack": "#both", "pagerduty": "pd-both"},
    "channel": {"slack": "#channel"},
    "pager": {"pagerduty": "pd-pager"},
    "nothing": {},
    "default": {"slack": "#all", "pagerduty": "pd-all"},
}


def test_who_hears_of_what() -> None:
    """A team's channel hears all, its pager what is critical; what a team has no place for is the default's."""
    told = alertmanager.configuration(whole("pets", routes=ROUTES))
    ways = [(route["matchers"], route["receiver"]) for route in told["route"]["routes"]]
    assert told["route"]["receiver"] == "default"
    assert ways == [
        (['team="both"', 'severity="critical"'], "both/critical"),
        (['team="both"'], "both"),
        (['team="channel"'], "channel"),
        (['team="pager"', 'severity="critical"'], "pager/critical"),
        (['severity="critical"'], "default/critical"),
    ]
    receivers = {one["name"]: one for one in told["receivers"]}
    assert receivers.keys() == {"default", "default/critical", *(receiver for _, receiver in ways)}
    assert receivers["both/critical"].keys() == {"name", "slack_configs", "pagerduty_configs"}
    assert receivers["pager/critical"].keys() == {"name", "pagerduty_configs"}
    assert receivers["channel"]["slack_configs"][0]["channel"] == "#channel"


def test_a_channel_is_no_template() -> None:
    told = alertmanager.configuration(whole("pets", routes={"default": {"slack": "#{{ .x }}"}}))
    assert told["receivers"][0]["slack_configs"][0]["channel"] == '#{{ "{{" }} .x }}'


def test_without_routes_there_is_still_a_receiver() -> None:
    told = alertmanager.configuration(whole("pets"))
    assert (told["route"]["routes"], told["receivers"]) == ([], [{"name": "default"}])


def test_what_is_told_shows_where_to_go_on() -> None:
    """Summary, description, runbook and dashboard, in the channel and on the pager."""
    told = alertmanager.configuration(whole("pets", routes=ROUTES))
    for receiver in told["receivers"]:
        pages = [page["details"] for page in receiver.get("pagerduty_configs", [])]
        for one in (*receiver.get("slack_configs", []), *pages):
            text = json.dumps(one)
            for word in ("summary", "description", "runbook_url", "dashboard_url"):
                assert f".{word}" in text


# The infrastructure.


def test_compose_replaces_nothing_in_an_image() -> None:
    (file,) = compose.emit(whole("pets", image_prefix="${HOME}/x/"), Templates())
    assert yaml.safe_load(file.content)["services"]["janitor"]["image"] == "$${HOME}/x/penstock-janitor:1.2.3"


def test_what_the_infrastructure_must_provide() -> None:
    """Room for the connections of all pods at their maximum, and secrets by name and key."""
    auth = {"secret": "redis-auth", "password_key": "pass", "username": "ours"}
    redis = {"addresses": ["a:1", "b:2"], "topology": "cluster", "tls": True, "auth": auth}
    told = terraform.needs(whole("one", "two", redis=redis, routes=ROUTES))
    assert told["redis"]["min_connections"] == 2 * 30 + 2 * (1 + 2 * 2)
    assert (told["redis"]["addresses"], told["redis"]["eviction_policy"]) == (["a:1", "b:2"], "noeviction")
    assert (told["redis"]["backlog_messages_at_most"], told["redis"]["backlog_bytes_at_most"]) == (20, 20 * 1024)
    assert [(one["name"], one["keys"]) for one in told["secrets"]] == [
        ("alertmanager-slack", ["url"]),
        ("pd-all", ["routing-key"]),
        ("pd-both", ["routing-key"]),
        ("pd-pager", ["routing-key"]),
        ("redis-auth", ["pass"]),
    ]


@pytest.mark.parametrize(
    ("said", "ports"),
    [
        ({}, [26379]),
        ({"topology": "sentinel", "master": "media"}, [6379, 26379]),
        ({"topology": "sentinel", "master": "media", "ports": [7000, 7001]}, [7000, 7001, 26379]),
        ({"topology": "cluster", "ports": [7001]}, [7001, 26379]),
    ],
)
def test_servers_that_others_name_are_reached(said: Mapping[str, Any], ports: list[int]) -> None:
    """Sentinels and nodes of a cluster tell of servers at other ports than their own."""
    it = whole("pets", redis={"addresses": ["a:26379"], **said})
    files = {file.path: file.content for file in manifests.emit(it, Templates())}
    told = yaml.safe_load(files["dev/_environment/manifests/networkpolicy.yaml"])["spec"]["egress"]
    assert [one["port"] for one in told[1]["ports"]] == ports


@pytest.mark.parametrize(("said", "told"), [({}, None), ({"memory": "8Gi"}, 8 * 2**30)])
def test_how_large_redis_is(said: Mapping[str, str], told: int | None) -> None:
    """As the platform file says it; nobody makes it up."""
    redis = {"addresses": ["redis:6379"], **said}
    assert terraform.needs(whole("one", redis=redis))["redis"]["max_memory_bytes"] == told


def test_the_infrastructure_holds_what_may_wait(folder: Path) -> None:
    """All backlogs of the specs at their limits."""
    specs = members(folder).values()
    told = json.loads((folder / "terraform.tfvars.json").read_text())["redis"]
    assert told["backlog_messages_at_most"] == sum(one["stream"]["backlog"]["limit"] for one in specs)


def test_others_find_what_is_theirs() -> None:
    """By the labels that their selectors ask for, which the platform file names."""
    labels = {"monitors": {"release": "one"}, "rules": {"release": "two"}, "dashboards": {"grafana": "1"}}
    it = whole("pets", found_by=labels)
    files = {file.path.rpartition("/")[2]: file for file in of_environment.emit(it, Templates())}
    told = {
        name: yaml.safe_load(files[f"{name}.yaml"].content)["metadata"]["labels"]
        for name in ("podmonitor", "prometheusrule", "overview", "deployment")
    }
    assert (told["podmonitor"]["release"], told["prometheusrule"]["release"]) == ("one", "two")
    assert told["overview"].items() >= {"grafana": "1", "app.kubernetes.io/part-of": "penstock"}.items()
    assert "grafana_dashboard" not in told["overview"]
    assert "release" not in told["deployment"]


def test_secrets_are_files_and_names(folder: Path) -> None:
    """No file has a place for a value: what is secret is read where it is mounted."""
    for file in folder.rglob("*.yaml"):
        text = file.read_text()
        assert not re.search(r"(?im)^[ -]*(password|routing_key|api_url|service_key|token):", text), file
        assert "secretKeyRef" not in text
    told = yaml.safe_load((folder / "alertmanager.yaml").read_text())
    for receiver in told["receivers"]:
        for one in receiver.get("slack_configs", []):
            assert one["api_url_file"].startswith("/etc/alertmanager/secrets/")
        for one in receiver.get("pagerduty_configs", []):
            assert one["routing_key_file"].startswith("/etc/alertmanager/secrets/")


# The images.


def test_images_run_as_the_manifests_run_them(root: Path) -> None:
    """Neither as root, nor with a shell around the command; with what the janitor asks Kubernetes with."""
    package = tomllib.loads((root / "packages/penstock/pyproject.toml").read_text())["project"]
    assert "kubernetes" in package["optional-dependencies"]
    for name, extra in (("worker", "penstock=="), ("janitor", "penstock[kubernetes]==")):
        text = (root / f"generated/images/{name}.Dockerfile").read_text()
        assert text.splitlines()[-1] == 'ENTRYPOINT ["penstock"]'
        assert "\nUSER 65532:65532\n" in text
        assert f'"{extra}${{PENSTOCK}}"' in text
        assert f'ARG PENSTOCK="{package["version"]}"' in text
        assert re.search(r'^ARG PYTHON="3\.\d+\.\d+-slim-\w+"$', text, re.MULTILINE)
        assert text.count("\nFROM ") == 2


def test_where_there_are_only_schedulers_there_is_no_janitor() -> None:
    """Neither its pods, nor alerts on it and on KEDA; nor connections and images for it."""
    pets = whole("pets")
    member = replace(pets.members[0], kind="scheduler", role="scheduler", args=("scheduler", "run"), maintained=False)
    it = replace(pets, members=(replace(member, scaled=False),))
    files = {file.path.removeprefix("dev/_environment/"): file.content for file in of_environment.emit(it, Templates())}
    manifests_ = {path.removeprefix("manifests/") for path in files if path.startswith("manifests/")}
    assert manifests_ == {"overview.yaml", "prometheusrule.yaml", "kustomization.yaml"}
    assert sorted(yaml.safe_load(files["manifests/kustomization.yaml"])["resources"]) == sorted(
        manifests_ - {"kustomization.yaml"}
    )
    rules = yaml.safe_load(files["rules.yaml"])["groups"][0]["rules"]
    assert not [rule["alert"] for rule in rules if re.search("Keda|Janitor", rule["alert"])]
    assert [*yaml.safe_load(files["compose.yaml"])["services"]] == ["redis", "scheduler-pets"]
    told = json.loads(files["terraform.tfvars.json"])
    assert told["images"] == ["pets:1"]
    assert told["redis"]["min_connections"] == 30
    assert "pipeline" not in files["alertmanager.yaml"]
