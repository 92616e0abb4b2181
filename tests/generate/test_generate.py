"""`penstock generate` and `penstock check`: `generated/` has exactly the files that follow from the specs."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

from penstock_generate.own_templates import BUILT_IN
from penstock_generate.tree import listing

Run = Callable[..., CompletedProcess[str]]


def contents(root: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and ".penstock-cache" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Path:
    ran = penstock("generate")
    assert (ran.returncode, ran.stderr) == (0, "")
    return repository / "generated"


def test_generated_files_are_up_to_date(generated: Path, penstock: Run) -> None:
    files = contents(generated)
    ran = penstock("check")
    assert (ran.returncode, ran.stdout) == (0, f"{len(files)} files are up to date\n")
    assert penstock("generate").stdout == f"{len(files)} files: none changed\n"
    assert contents(generated) == files


@pytest.mark.parametrize(
    "variables",
    [{"LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8"}, {"PYTHONHASHSEED": "7"}, {"PYTHONUTF8": "0", "TZ": "Asia/Tokyo"}],
)
def test_the_same_input_gives_the_same_bytes(generated: Path, penstock: Run, variables: dict[str, str]) -> None:
    """In any locale and time zone, and with any hash seed of Python."""
    before = contents(generated)
    (generated / "production/jobs/worker.json").unlink()
    assert penstock("generate", **variables).returncode == 0
    assert contents(generated) == before
    assert not any(str(generated.parent).encode() in content for content in before.values())


def test_check_lists_every_difference(repository: Path, generated: Path, penstock: Run) -> None:
    """Missing, out of date, edited by hand, left over; and it changes nothing."""
    (generated / "dev/jobs/worker.json").unlink()
    change(generated / "dev/agent-queue/manifests/deployment.yaml", "maxUnavailable: 0", "maxUnavailable: 1")
    change(repository / "specs/media-cluster.yaml", "backlog_per_replica: 32", "backlog_per_replica: 33")
    (repository / "specs/tankpit-jobs.yaml").unlink()
    before = contents(generated)
    ran = penstock("check", "--env", "dev")
    lines = ran.stdout.splitlines()
    assert ran.returncode == 1
    assert "penstock generate" in ran.stderr
    assert "missing: generated/dev/jobs/worker.json" in lines
    assert "edited by hand: generated/dev/agent-queue/manifests/deployment.yaml" in lines
    assert "out of date: generated/dev/media-cluster/manifests/scaledobject.yaml" in lines
    assert "left over: generated/dev/tankpit-jobs/worker.json" in lines
    assert not any("production" in line for line in lines)
    assert contents(generated) == before
    assert f"{len(lines)} files are not up to date\n" in ran.stderr


def test_leftover_files_are_removed_and_other_files_stay(repository: Path, generated: Path, penstock: Run) -> None:
    theirs = generated / "dev/tankpit-jobs/notes.md"
    theirs.write_text("ours")
    (generated / "README.md").write_text("theirs too")
    (repository / "specs/tankpit-jobs.yaml").unlink()
    with (repository / "penstock.yaml").open("a") as platform:
        acknowledgement = "{change: remove-pipeline, name: tankpit-jobs, reason: it is drained, until: 2026-02-01}"
        platform.write(f"\nacknowledge: [{acknowledgement}]\n")
    assert penstock("generate").returncode == 0
    assert [path for path in contents(generated) if "tankpit" in path] == ["dev/tankpit-jobs/notes.md"]
    assert not (generated / "production/tankpit-jobs").exists()
    assert (generated / "README.md").read_text() == "theirs too"


def test_only_selected_specs_are_written(repository: Path, generated: Path, penstock: Run) -> None:
    before = contents(generated)
    change(repository / "specs/media-cluster.yaml", "backlog_per_replica: 32", "backlog_per_replica: 33")
    change(repository / "specs/jobs.yaml", "kind: pipeline", "kind: pipeline # it is")
    (repository / "specs/tankpit-jobs.yaml").unlink()
    assert penstock("generate", "--env", "dev", "--only", "media-cluster").returncode == 0
    after = contents(generated)
    changed = {path for path in before if before[path] != after.get(path)}
    files = (
        "FILES",
        "dashboard.json",
        "manifests/dashboard.yaml",
        "manifests/scaledobject.yaml",
        "values.yaml",
        "runbook.md",
    )
    assert changed == {f"dev/media-cluster/{name}" for name in files}
    assert before.keys() == after.keys()


def test_generate_reports_files_edited_by_hand(generated: Path, penstock: Run) -> None:
    before = contents(generated)
    change(generated / "dev/jobs/worker.json", "60s", "61s")
    ran = penstock("generate")
    assert ran.stderr == "generated/dev/jobs/worker.json was edited by hand; it is overwritten\n"
    assert contents(generated) == before


def test_a_file_of_somebody_else_is_not_overwritten(generated: Path, penstock: Run) -> None:
    """It is not treated as generated either."""
    folder = generated / "dev/jobs"
    (folder / "FILES").unlink()
    (folder / "worker.json").write_text("mine")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "`generated/dev/jobs/worker.json` is in the way: `FILES` does not list it as generated" in ran.stderr
    assert (folder / "worker.json").read_text() == "mine"


@pytest.mark.parametrize("what", ["folder", "file above", "link out", "link instead"])
def test_an_obstacle_is_reported_and_kept(repository: Path, penstock: Run, tmp_path: Path, what: str) -> None:
    generated, message = repository / "generated", ""
    match what:
        case "folder":
            (generated / "dev/jobs/worker.json").mkdir(parents=True)
            message = "`generated/dev/jobs/worker.json` is a folder where a file belongs"
        case "file above":
            (generated / "dev").mkdir(parents=True)
            (generated / "dev/jobs").write_text("")
            message = "`generated/dev/jobs` is a file where a folder belongs"
        case "link out":
            generated.mkdir()
            (generated / "dev").symlink_to(tmp_path)
            message = "leads out of `generated`"
        case _:
            generated.symlink_to(tmp_path)
            message = "`generated` is a link"
    before = contents(tmp_path)
    ran = penstock("generate")
    assert ran.returncode == 2
    assert message in ran.stderr
    assert contents(tmp_path) == before


def test_nothing_is_generated_from_errors(repository: Path, generated: Path, penstock: Run) -> None:
    before = contents(generated)
    change(repository / "specs/jobs.yaml", "kind: pipeline", "kind: pipelin")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "nothing is generated from specs with errors" in ran.stderr
    assert "unknown-kind" in ran.stderr
    assert contents(generated) == before


def test_a_refused_run_forgets_the_specs_that_it_built(repository: Path, penstock: Run) -> None:
    """Each spec is built right after its check, but nothing is written if another has errors."""
    change(repository / "specs/tankpit-jobs.yaml", "kind: pipeline", "kind: pipelin")
    patched = repository / "specs/media-cluster.yaml"
    patch = "patches: [{target: Deployment, op: remove, path: /spec/nowhere, reason: x}]\n"
    patched.write_text(patched.read_text() + patch)
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "unknown-kind" in ran.stderr
    assert not list((repository / "generated").rglob("*"))
    change(repository / "specs/tankpit-jobs.yaml", "kind: pipelin", "kind: pipeline")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "this patch of the Deployment changes nothing" in ran.stderr
    assert not list((repository / "generated").rglob("*"))


@pytest.mark.parametrize(
    ("name", "hint"), [("media-clustre", "did you mean `media-cluster`?"), ("zzz", "there are `agent")]
)
def test_an_unknown_spec_is_refused(penstock: Run, name: str, hint: str) -> None:
    ran = penstock("generate", "--only", name)
    assert ran.returncode == 2
    assert f"no spec is named `{name}`" in ran.stderr
    assert hint in ran.stderr


def test_the_listing_names_each_file_and_its_digest(generated: Path) -> None:
    """As `sha256sum --check` reads it."""
    for file in generated.rglob(listing.NAME):
        listed = listing.parse(file.read_text())
        there = {str(path.relative_to(file.parent)) for path in file.parent.rglob("*") if path.is_file()}
        assert listed.keys() == there - {listing.NAME}
        for path, digest in listed.items():
            assert hashlib.sha256((file.parent / path).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("line", ["../../x", "/etc/passwd", "a/../../x", "", "a//b", "./a"])
def test_a_listing_cannot_name_files_outside_its_folder(line: str) -> None:
    assert not listing.parse(f"{'0' * 64}  {line}\n")


def test_patches_are_applied(repository: Path, generated: Path, penstock: Run) -> None:
    spec = repository / "specs/media-cluster.yaml"
    where = "/spec/template/spec/nodeSelector"
    patch = f"  - {{target: Deployment, op: add, path: {where}, value: {{disk: fast}}, reason: disks}}"
    spec.write_text(f"{spec.read_text()}patches:\n{patch}\n")
    before = contents(generated)
    assert penstock("generate").returncode == 0
    after = contents(generated)
    changed = {path for path in before if before[path] != after[path] and "production" in path}
    assert changed == {
        f"production/media-cluster/{name}" for name in ("FILES", "manifests/deployment.yaml", "values.yaml")
    }
    name = "production/media-cluster/manifests/deployment.yaml"
    was, now = yaml.safe_load(before[name]), yaml.safe_load(after[name])
    assert now["spec"]["template"]["spec"].pop("nodeSelector") == {"disk": "fast"}
    assert now == was


def test_a_patch_of_an_unknown_path_is_an_error(repository: Path, penstock: Run) -> None:
    """With its place, and a suggestion."""
    patch = (
        "patches:\n  - {target: Deployment, op: replace, path: /spec/template/spec/container, value: [], reason: x}\n"
    )
    spec = repository / "specs/media-cluster.yaml"
    spec.write_text(spec.read_text() + patch)
    ran = penstock("generate")
    assert ran.returncode == 2
    line = len(spec.read_text().splitlines())
    assert (
        f"specs/media-cluster.yaml:{line}:45: this patch of the Deployment changes nothing: there is no `container`"
        in ran.stderr
    )
    assert "hint: write `/spec/template/spec/containers`" in ran.stderr


def test_a_patch_of_an_object_that_is_not_generated_is_an_error(repository: Path, penstock: Run) -> None:
    """`dev` has no password, so no TriggerAuthentication; a patch only for `production` is valid."""
    patch = "{target: TriggerAuthentication, op: replace, path: /spec/secretTargetRef/0/key, value: other, reason: x}"
    spec = repository / "specs/media-cluster.yaml"
    before = spec.read_text()
    spec.write_text(f"{before}patches:\n  - {patch}\n")
    line = len(spec.read_text().splitlines())
    ran = penstock("generate")
    assert ran.returncode == 2
    message = "this patch changes nothing: there is no TriggerAuthentication in `dev`"
    assert f"specs/media-cluster.yaml:{line}:14: {message}\n" in ran.stderr
    assert "hint: write `patches` below those `environments` of the spec that have one, or remove it" in ran.stderr
    spec.write_text(f"{before}  production:\n    patches:\n      - {patch}\n")
    assert penstock("generate").returncode == 0


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pipeline/manifests/podmonitors.yaml.j2", "call it `templates/pipeline/manifests/podmonitor.yaml.j2`"),
        ("chart/templates/deploymnt.yaml", "call it `templates/chart/templates/deployment.yaml`"),
        ("images/x.j2", "see Penstock's `templates/README.md` for the names"),
    ],
)
def test_a_template_that_overrides_nothing_is_an_error(repository: Path, penstock: Run, name: str, hint: str) -> None:
    """Such as after Penstock renames a template."""
    for one in (name, "pipeline/_ours.j2", "web/page.html.j2"):  # the other two are allowed
        (repository / "templates" / one).parent.mkdir(parents=True, exist_ok=True)
        (repository / "templates" / one).write_text("a: 1\n")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert f"templates/{name}: no built-in template has this name\nhint: {hint}\n" in ran.stderr
    (repository / "templates" / name).unlink()
    assert penstock("generate", "--env", "dev", "--only", "jobs").returncode == 0


def test_a_repositorys_own_template_overrides_the_built_in_one(
    repository: Path, generated: Path, penstock: Run, root: Path
) -> None:
    """The other templates stay."""
    name = "pipeline/manifests/serviceaccount.yaml.j2"
    own = repository / "templates" / name
    own.parent.mkdir(parents=True)
    own.write_text((root / "templates" / name).read_text() + "imagePullSecrets:\n  - name: {{ spec.owner.team | y }}\n")
    before = contents(generated)
    assert penstock("generate", "--env", "dev").returncode == 0
    after = contents(generated)
    assert {Path(path).name for path in before if before[path] != after[path]} == {"FILES", "serviceaccount.yaml"}
    manifest = yaml.safe_load(after["dev/jobs/manifests/serviceaccount.yaml"])
    assert manifest["imagePullSecrets"] == [{"name": "bot"}]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a: {{ spec.name }}\n", ":1: a value has no filter: write `| y` for one value"),
        (
            "a: 1\nb: {{ spec.nam | y }}\n",
            ":2: 'penstock_spec.kinds.pipeline.spec.Pipeline object' has no attribute 'nam'",
        ),
        ("a: 1\n\nb: {{ spec.name | y }\n", ":3: unexpected '}'"),
        ("a: {{ 1 | nope }}\n", ":1: No filter named 'nope'."),
    ],
)
def test_a_broken_template_is_an_error(repository: Path, penstock: Run, template: str, message: str) -> None:
    """With the line of the template. A value without a filter is refused, so no text of a spec gets in unquoted."""
    own = repository / "templates/pipeline/manifests/serviceaccount.yaml.j2"
    own.parent.mkdir(parents=True)
    own.write_text(template)
    ran = penstock("generate")
    assert ran.returncode == 2
    assert f"templates/pipeline/manifests/serviceaccount.yaml.j2{message}" in ran.stderr
    assert "fix the template" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (repository / "generated/dev").exists()


SERVICE_ACCOUNT = "pipeline/manifests/serviceaccount.yaml.j2"
PARTS = (BUILT_IN / "pods/_parts.j2").read_text().replace("  namespace:", "    namespace:")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            SERVICE_ACCOUNT,
            "a: 1\n{# a comment #}\n\nb: [1\nc: 2\n",
            "5: while parsing a flow sequence, did not find expected ',' or ']'",
        ),
        (SERVICE_ACCOUNT, "{% for one in 'ab' %}\na: {{ one | y }}\n{% endfor %}\n", "2: the key `a` appears twice"),
        (
            SERVICE_ACCOUNT,
            "a: 1\n---\nb: {{ spec.name | y }}\n",
            "2: expected a single document in the stream, but found another document",
        ),
        (SERVICE_ACCOUNT, "a: 1\n\tb: 2\n", "2: while scanning a plain scalar, found a tab character"),
        (SERVICE_ACCOUNT, "a: &b 1\nc: *d\n", "2: found undefined alias"),
        ("pods/_parts.j2", PARTS, "5: mapping values are not allowed in this context"),
        ("pipeline/producer.py.j2", "a = 1\nname = {{ 'a' | py }} x\n", "2: invalid syntax"),
    ],
)
def test_a_template_that_renders_an_invalid_file_is_an_error(
    repository: Path, penstock: Run, name: str, text: str, message: str
) -> None:
    """With the lines of the template and of the file; nothing is written, even if a patch applies to the file."""
    own = repository / "templates" / name
    own.parent.mkdir(parents=True)
    own.write_text(text)
    spec = repository / "specs/jobs.yaml"
    patch = "{target: ServiceAccount, op: add, path: /a, value: b, reason: a test}"
    spec.write_text(f"patches: [{patch}]\n{spec.read_text()}")
    ran = penstock("generate", "--only", "jobs")
    assert ran.returncode == 2
    line, reason = message.split(": ", 1)
    assert f"templates/{name}:{line}: this renders an invalid file: {reason}" in ran.stderr
    assert "fix the template; the error is in line " in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (repository / "generated/dev").exists()


def test_each_file_has_a_header(generated: Path) -> None:
    """With tool, version, source, and a digest of the rest; except JSON, commands for Redis and the chart."""
    for name, content in contents(generated).items():
        head, _, rest = content.decode().partition("\n")
        if not name.endswith((".json", ".txt", listing.NAME)) and not name.startswith("chart/"):
            digest = hashlib.sha256(rest.encode()).hexdigest()[:16]
            of = "its models and templates" if name.startswith("images/") else "specs/"
            of = "penstock.yaml" if "_environment" in name else of
            assert f"Generated by penstock 0.1.0 from {of}" in head, name
            assert f"sha256:{digest}. Change that, not this." in head, name


def test_schemas_belong_to_the_repository(generated: Path, penstock: Run) -> None:
    """Those of `penstock init` are replaced, whichever version wrote them; other files stay."""
    before = contents(generated)
    (generated / "schemas/FILES").unlink()
    (generated / "schemas/pipeline.schema.json").write_text("{}\n")
    (generated / "schemas/mine.json").write_text("{}\n")
    assert penstock("generate", "--env", "dev").stdout.endswith("none changed\n")
    ran = penstock("generate")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert contents(generated) == before | {"schemas/mine.json": b"{}\n"}


def test_an_environment_with_a_reserved_name_is_refused(repository: Path, penstock: Run) -> None:
    change(repository / "penstock.yaml", "  dev:\n", "  schemas:\n")
    for name, end in (("agent-queue", " {"), ("cache-agents", "\n"), ("media-cluster", "\n")):
        change(repository / f"specs/{name}.yaml", f"\n  dev:{end}", f"\n  schemas:{end}")
    change(repository / "specs/media-cluster.yaml", "environments: [dev]", "environments: [schemas]")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "an environment cannot be named `schemas`" in ran.stderr


def test_handlers_reach_only_the_destinations_of_the_spec(repository: Path, penstock: Run) -> None:
    """DNS, Redis and `egress`. A change of `egress` restarts no pod."""
    assert penstock("generate", "--env", "production", "--only", "jobs").returncode == 0
    folder = repository / "generated/production/jobs"
    before = (folder / "worker.json").read_bytes()
    spec = repository / "specs/jobs.yaml"
    egress = "egress: [{port: 443}, {port: 5432, cidr: 10.20.0.0/16}, {port: 53, protocol: UDP, namespace: names}]\n"
    spec.write_text(egress + spec.read_text())
    assert penstock("generate", "--env", "production", "--only", "jobs").returncode == 0
    names, redis, *others = yaml.safe_load((folder / "manifests/networkpolicy.yaml").read_text())["spec"]["egress"]
    assert [one["port"] for one in names["ports"]] == [53, 53]
    assert redis == {"ports": [{"port": 6380, "protocol": "TCP"}]}
    assert others == [
        {"ports": [{"port": 443, "protocol": "TCP"}]},
        {"to": [{"ipBlock": {"cidr": "10.20.0.0/16"}}], "ports": [{"port": 5432, "protocol": "TCP"}]},
        {
            "to": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "names"}}}],
            "ports": [{"port": 53, "protocol": "UDP"}],
        },
    ]
    assert (folder / "worker.json").read_bytes() == before


def test_a_larger_redis_restarts_no_pod(repository: Path, generated: Path, penstock: Run) -> None:
    """Its size is only for the infrastructure."""
    platform = repository / "penstock.yaml"
    platform.write_text(platform.read_text().replace("memory: 32Gi", "memory: 64Gi"))
    before = contents(generated)
    assert penstock("generate").returncode == 0
    after = contents(generated)
    assert {name for name in before if before[name] != after[name]} == {
        "production/_environment/FILES",
        "production/_environment/terraform.tfvars.json",
    }
