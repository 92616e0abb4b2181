"""The files of an environment: least rights, no secrets, and consistent names."""

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
    """The committed folder of an environment."""
    return root / "generated" / str(request.param) / "_environment"


def manifest(folder: Path, kind: str) -> Any:  # noqa: ANN401 - whatever Kubernetes reads
    return yaml.safe_load((folder / f"manifests/{kind}.yaml").read_text())


def members(folder: Path) -> dict[str, Any]:
    """The pipelines of this environment, by name."""
    specs = {file.parent.name: json.loads(file.read_text())["spec"] for file in folder.parent.glob("*/worker.json")}
    return {name: spec for name, spec in sorted(specs.items()) if spec["kind"] == "pipeline"}


def planned_environment(*names: str, **around: object) -> PlannedEnvironment:
    """An environment with these pipelines."""
    model = Environment.model_validate({"namespace": "tests", "redis": {"addresses": ["redis:6379"]}, **around})
    pipelines = [
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
    return PlannedEnvironment("dev", model, tuple(pipelines), "penstock.yaml", "1.2.3")


# The janitor's manifests.


def test_the_janitor_may_only_read_pods(folder: Path) -> None:
    """It may patch them only if a spec protects busy pods: production has one, dev has none."""
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


def test_the_janitor_may_patch_pods_if_a_spec_needs_it(repository: Path, penstock: Run) -> None:
    """Only `scaling.protect_busy` of a spec in the environment grants the right."""
    verbs = []
    for value in ("false", "true"):
        for file in (repository / "specs").glob("*.yaml"):
            text = re.sub(r"protect_busy: \w+", f"protect_busy: {value}", file.read_text())
            file.write_text(text)
        assert penstock("generate").returncode == 0
        role = manifest(repository / "generated/production/_environment", "role")
        verbs.append(role["rules"][0]["verbs"])
    assert verbs == [["get", "list"], ["get", "list", "patch"]]


def test_the_janitor_mounts_each_pipeline(folder: Path) -> None:
    """From the ConfigMap in the pipeline's manifests, under the pipeline's name."""
    volumes = manifest(folder, "deployment")["spec"]["template"]["spec"]["volumes"]
    (sources,) = [volume["projected"]["sources"] for volume in volumes if "projected" in volume]
    names = members(folder)
    assert len(names) == 5
    assert [source["configMap"] for source in sources] == [
        {"name": name, "optional": True, "items": [{"key": "worker.json", "path": f"{name}.json"}]} for name in names
    ]
    for name in names:
        config_map = yaml.safe_load((folder.parent / name / "manifests/configmap.yaml").read_text())
        assert (config_map["metadata"]["name"], [*config_map["data"]]) == (name, ["worker.json"])


def test_a_changed_spec_restarts_the_janitor(repository: Path, penstock: Run) -> None:
    """It reads the worker files once. Thresholds of alerts are not in them."""

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


def test_scaled_objects_have_the_address_of_the_janitor(folder: Path) -> None:
    """The address in each ScaledObject is that of the Service, which targets the container's port."""
    service, deployment = manifest(folder, "service"), manifest(folder, "deployment")
    address = urlsplit(JANITOR.format(namespace=service["metadata"]["namespace"], name="any"))
    assert address.hostname == f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    (port,) = service["spec"]["ports"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert (port["port"], port["targetPort"]) == (address.port, "http")
    assert container["ports"] == [{"name": "http", "containerPort": address.port, "protocol": "TCP"}]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for kind in ("service", "podmonitor", "networkpolicy", "poddisruptionbudget"):
        spec = manifest(folder, kind)["spec"]
        chosen = spec.get("podSelector") or spec["selector"]
        chosen = chosen.get("matchLabels", chosen)
        assert chosen.items() <= labels.items()


@pytest.mark.parametrize("name", ["media-cluster", "cache-agents", "_environment"])
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_pods_are_restricted(root: Path, environment: str, name: str) -> None:
    """Pods of workers and of the janitor meet Pod Security's `restricted`, and their root is read-only."""
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


def test_the_janitor_reaches_only_its_services(folder: Path) -> None:
    """DNS, Redis and the Kubernetes API."""
    policy = manifest(folder, "networkpolicy")["spec"]
    ports = [[port["port"] for port in rule["ports"]] for rule in policy["egress"]]
    assert {"ipBlock": {"cidr": "169.254.0.0/16"}} in policy["egress"][0]["to"]  # the DNS cache of the node
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
def test_the_janitors_image_follows_the_platform_file(janitor: Mapping[str, str], image: str) -> None:
    it = planned_environment("pets", janitor=janitor, image_prefix="mirror.example/")
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


def test_only_leaves_the_environments_files_unchanged(repository: Path, penstock: Run) -> None:
    """With `--env`, the files of that environment are generated too."""
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


# Alerts and their routes.


@pytest.mark.parametrize("topology", ["standalone", "cluster", "sentinel"])
def test_each_alert_has_a_heading(root: Path, topology: str) -> None:
    """So its `runbook_url` works; and the page has no other headings."""
    there = "templates/environment/runbook.md.j2"
    master = {"master": "main"} if topology == "sentinel" else {}
    redis = {"addresses": ["a:1"], "topology": topology, "connections": 10, **master}
    names = [alert.name for alert in alerts(planned_environment("pets", redis=redis))]
    assert len(names) == len(set(names))
    known = re.findall(r'call about\("(\w+)"\)', (root / there).read_text())
    assert set(names) <= set(known)
    if topology != "standalone":
        assert set(names) == set(known)


def test_the_runbook_has_the_alerts_and_their_expressions(folder: Path) -> None:
    rules = yaml.safe_load((folder / "rules.yaml").read_text())["groups"][0]["rules"]
    text = (folder / "runbook.md").read_text()
    assert sorted(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == sorted(rule["alert"] for rule in rules)
    for rule in rules:
        assert f"`{rule['expr']}`" in text


def test_thresholds_follow_the_platform_file(folder: Path) -> None:
    """80 % of `redis.connections`, and a tenth of `redis.timeouts.answer`."""
    rules = {rule["alert"]: rule for rule in yaml.safe_load((folder / "rules.yaml").read_text())["groups"][0]["rules"]}
    limit = 52000 if "production" in str(folder) else 8000
    assert rules["PenstockRedisConnectionsNearLimit"]["expr"].endswith(f"> {limit}")
    assert rules["PenstockRedisSlow"]["expr"].endswith("> 0.3")


ROUTES: Mapping[str, Mapping[str, str]] = {
    "both": {"slack": "#both", "pagerduty": "pd-both"},
    "channel": {"slack": "#channel"},
    "pager": {"pagerduty": "pd-pager"},
    "nothing": {},
    "default": {"slack": "#all", "pagerduty": "pd-all"},
}


def test_alerts_are_routed_by_team_and_severity() -> None:
    """All alerts go to the team's channel, critical ones to its pager, and the rest to the default route."""
    config = alertmanager.configuration(planned_environment("pets", routes=ROUTES))
    routes = [(route["matchers"], route["receiver"]) for route in config["route"]["routes"]]
    assert config["route"]["receiver"] == "default"
    assert routes == [
        (['team="both"', 'severity="critical"'], "both/critical"),
        (['team="both"'], "both"),
        (['team="channel"'], "channel"),
        (['team="pager"', 'severity="critical"'], "pager/critical"),
        (['severity="critical"'], "default/critical"),
    ]
    receivers = {one["name"]: one for one in config["receivers"]}
    assert receivers.keys() == {"default", "default/critical", *(receiver for _, receiver in routes)}
    assert receivers["both/critical"].keys() == {"name", "slack_configs", "pagerduty_configs"}
    assert receivers["pager/critical"].keys() == {"name", "pagerduty_configs"}
    assert receivers["channel"]["slack_configs"][0]["channel"] == "#channel"


def test_a_channel_is_escaped_for_alertmanager() -> None:
    config = alertmanager.configuration(planned_environment("pets", routes={"default": {"slack": "#{{ .x }}"}}))
    assert config["receivers"][0]["slack_configs"][0]["channel"] == '#{{ "{{" }} .x }}'


def test_without_routes_there_is_a_default_receiver() -> None:
    config = alertmanager.configuration(planned_environment("pets"))
    assert (config["route"]["routes"], config["receivers"]) == ([], [{"name": "default"}])


def test_notifications_link_to_the_runbook_and_the_dashboard() -> None:
    """With summary and description, in the channel and on the pager."""
    config = alertmanager.configuration(planned_environment("pets", routes=ROUTES))
    for receiver in config["receivers"]:
        pages = [page["details"] for page in receiver.get("pagerduty_configs", [])]
        for one in (*receiver.get("slack_configs", []), *pages):
            text = json.dumps(one)
            for word in ("summary", "description", "runbook_url", "dashboard_url"):
                assert f".{word}" in text


# The infrastructure.


def test_a_dollar_in_an_image_is_escaped_for_compose() -> None:
    (file,) = compose.emit(planned_environment("pets", image_prefix="${HOME}/x/"), Templates())
    assert yaml.safe_load(file.content)["services"]["janitor"]["image"] == "$${HOME}/x/penstock-janitor:1.2.3"


def test_requirements_on_the_infrastructure() -> None:
    """The connections of all pods at their maximum, and secrets by name and key."""
    auth = {"secret": "redis-auth", "password_key": "pass", "username": "ours"}
    redis = {"addresses": ["a:1", "b:2"], "topology": "cluster", "tls": True, "auth": auth}
    needs = terraform.needs(planned_environment("one", "two", redis=redis, routes=ROUTES))
    assert needs["redis"]["min_connections"] == 2 * 30 + 2 * (1 + 2 * 2)
    assert (needs["redis"]["addresses"], needs["redis"]["eviction_policy"]) == (["a:1", "b:2"], "noeviction")
    assert (needs["redis"]["backlog_messages_at_most"], needs["redis"]["backlog_bytes_at_most"]) == (20, 20 * 1024)
    assert [(one["name"], one["keys"]) for one in needs["secrets"]] == [
        ("alertmanager-slack", ["url"]),
        ("pd-all", ["routing-key"]),
        ("pd-both", ["routing-key"]),
        ("pd-pager", ["routing-key"]),
        ("redis-auth", ["pass"]),
    ]


@pytest.mark.parametrize(
    ("redis", "ports"),
    [
        ({}, [26379]),
        ({"topology": "sentinel", "master": "media"}, [6379, 26379]),
        ({"topology": "sentinel", "master": "media", "ports": [7000, 7001]}, [7000, 7001, 26379]),
        ({"topology": "cluster", "ports": [7001]}, [7001, 26379]),
    ],
)
def test_pods_reach_servers_that_redis_itself_names(redis: Mapping[str, Any], ports: list[int]) -> None:
    """Sentinels and nodes of a cluster name servers with other ports than their own."""
    it = planned_environment("pets", redis={"addresses": ["a:26379"], **redis})
    files = {file.path: file.content for file in manifests.emit(it, Templates())}
    egress = yaml.safe_load(files["dev/_environment/manifests/networkpolicy.yaml"])["spec"]["egress"]
    assert [one["port"] for one in egress[1]["ports"]] == ports


@pytest.mark.parametrize(("memory", "max_bytes"), [({}, None), ({"memory": "8Gi"}, 8 * 2**30)])
def test_the_memory_of_redis_comes_from_the_platform_file(memory: Mapping[str, str], max_bytes: int | None) -> None:
    """There is no default."""
    redis = {"addresses": ["redis:6379"], **memory}
    assert terraform.needs(planned_environment("one", redis=redis))["redis"]["max_memory_bytes"] == max_bytes


def test_the_infrastructure_must_hold_all_backlogs(folder: Path) -> None:
    """Each at its limit."""
    specs = members(folder).values()
    redis = json.loads((folder / "terraform.tfvars.json").read_text())["redis"]
    assert redis["backlog_messages_at_most"] == sum(one["stream"]["backlog"]["limit"] for one in specs)


def test_objects_have_the_labels_of_their_readers() -> None:
    """The platform file names the labels by which other programs discover objects."""
    labels = {"monitors": {"release": "one"}, "rules": {"release": "two"}, "dashboards": {"grafana": "1"}}
    it = planned_environment("pets", found_by=labels)
    files = {file.path.rpartition("/")[2]: file for file in of_environment.emit(it, Templates())}
    labels_of = {
        name: yaml.safe_load(files[f"{name}.yaml"].content)["metadata"]["labels"]
        for name in ("podmonitor", "prometheusrule", "overview", "deployment")
    }
    assert (labels_of["podmonitor"]["release"], labels_of["prometheusrule"]["release"]) == ("one", "two")
    assert labels_of["overview"].items() >= {"grafana": "1", "app.kubernetes.io/part-of": "penstock"}.items()
    assert "grafana_dashboard" not in labels_of["overview"]
    assert "release" not in labels_of["deployment"]


def test_secrets_appear_only_as_files_and_names(folder: Path) -> None:
    """No file has a place for a value: programs read secrets from mounted files."""
    for file in folder.rglob("*.yaml"):
        text = file.read_text()
        assert not re.search(r"(?im)^[ -]*(password|routing_key|api_url|service_key|token):", text), file
        assert "secretKeyRef" not in text
    config = yaml.safe_load((folder / "alertmanager.yaml").read_text())
    for receiver in config["receivers"]:
        for one in receiver.get("slack_configs", []):
            assert one["api_url_file"].startswith("/etc/alertmanager/secrets/")
        for one in receiver.get("pagerduty_configs", []):
            assert one["routing_key_file"].startswith("/etc/alertmanager/secrets/")


# The images.


def test_images_match_the_manifests(root: Path) -> None:
    """They run neither as root nor in a shell, and the janitor's has the Kubernetes client."""
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


def test_an_environment_with_only_schedulers_has_no_janitor() -> None:
    """It has no alerts on a janitor or KEDA, and no connections or images for them."""
    pets = planned_environment("pets")
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
    needs = json.loads(files["terraform.tfvars.json"])
    assert needs["images"] == ["pets:1"]
    assert needs["redis"]["min_connections"] == 30
    assert "pipeline" not in files["alertmanager.yaml"]
