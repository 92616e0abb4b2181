"""Commands whose output a page does not show run with the expected exit code: in `sh` blocks, workflows and prose.

A reader has the files of the page; if it has no spec, a clone of this repository whose branch is on `origin/main`, or
the result of SETUP. Redis is the page's own, under any name. Commands that need a cluster or a network are in
ELSEWHERE, with the reason; no other command is left out.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pages
import pytest
from pages import ROOT, STARTER, blocks, name_of
from servers import Server
from shell import Shell

ELSEWHERE = {
    "make demo": "`.ci/run` runs it and reads its last line; tests/dev/test_demo.py interrupts it",
    "make test": "it runs this test",
    "kubectl get prometheus --all-namespaces -o jsonpath="
    "'{.items[*].spec.podMonitorSelector} {.items[*].spec.ruleSelector}'": "a cluster with the Prometheus operator",
    "kubectl apply -k generated/production/agent-queue/manifests": "a cluster; tests/validate judges the manifests",
    "helm upgrade --install agent-queue generated/chart -f generated/production/agent-queue/values.yaml": (
        "a cluster; tests/validate/test_chart.py renders it"
    ),
    "docker compose -f generated/dev/_environment/compose.yaml up": (
        "images of teams; tests/generate/test_compose.py reads the file"
    ),
    "kubectl -n media create secret generic redis-auth --from-file=password": "a cluster",
    'kubectl -n production create secret generic redis-auth --from-literal=password="$REDIS_PASSWORD"': "a cluster",
    "kubectl apply -k generated/production/_environment/manifests": "a cluster; tests/validate judges the manifests",
    "kubectl apply -k generated/production/hello/manifests": "a cluster; tests/validate judges the manifests",
    "kubectl -n production get scaledobject,pods": "a cluster",
    "kubectl -n production logs deployment/hello": "a cluster",
    **dict.fromkeys(
        (
            "docker build -f generated/images/worker.Dockerfile -t registry.example/hello:0.1.0 .",
            "docker build -f generated/images/janitor.Dockerfile -t registry.example/penstock-janitor:0.1.0 .",
            "docker push registry.example/hello:0.1.0",
            "docker push registry.example/penstock-janitor:0.1.0",
        ),
        "a package index and a registry; tests/validate/test_environment.py judges the Dockerfiles",
    ),
    """penstock send hello '{"name": "world"}' --env production""": "the Redis of a cluster",
    "penstock status hello --env production": "the Redis of a cluster",
    "curl -sG http://prometheus.example/api/v1/query_range -o monday.json -d step=60 "
    "-d start=2027-01-04T07:00:00Z -d end=2027-01-04T11:00:00Z "
    '--data-urlencode \'query=sum(rate(penstock_sent_total{pipeline="thumbnails", outcome="new"}[2m]))\'': (
        "a Prometheus; its answer is in FILES"
    ),
    "penstock dev cache-agents": "tests/dev/test_schedulers.py runs a scheduler, alone and with pipelines",
    "pip install -r requirements.txt": "a network",
    'gh pr comment "${{ github.event.number }}" --edit-last --create-if-none --body-file diff.md': "GitHub",
}
"""Commands that do not run here: what they need, and the test that covers them."""

EXIT_CODES = {
    ("docs/how-to/dev.md", "penstock dlq list media-cluster --env dev --embedded"): 1,  # no dead letters
    ("docs/how-to/test-scaling.md", "penstock test --junit scaling.xml"): 1,  # the page has broken an expectation
}
"""Exit codes other than 0."""

INTERRUPTED = {
    "penstock dev": "Redis is reachable",
    "penstock dev --env dev": "Redis is reachable",
    "penstock dev media-cluster --env dev --path examples --speed 10x": "Redis is reachable",
}
"""Commands that run until Ctrl-C, and their output once they have started. They exit with 0."""

TYPED = {"penstock new my-pipeline": "media\nmedia.jobs:thumbnail\nregistry.example/media:1.0.0\n"}
"""Answers to the questions of a command at a terminal."""

JOB = {
    "job_id": "01JB6Z3Q0V9K2M4N6P8R0S2T4V",
    "pet_id": "00000000-0000-4000-8000-000000000001",
    "image_ids": ["00000000-0000-4000-8000-000000000002"],
    "reason": "upload",
    "metadata": {"emitted_at": "2026-01-01T00:00:00Z", "source": "auth-service"},
}
RATES = [[1_798_959_600 + 60 * minute, str(20 + minute % 7)] for minute in range(60)]
FILES = {
    "docs/how-to/dev.md": {"jobs.jsonl": f"{json.dumps(JOB)}\n"},
    "docs/how-to/size.md": {
        "monday.json": json.dumps(
            {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": RATES}]}}
        ),
        "took.txt": "1.5s\n900ms\n2s\n",
    },
}
"""Files of the reader that the page does not show."""

SETUP = {
    "docs/how-to/message-schemas.md": ["mkdir src && mv media src/"],
    "docs/how-to/ci.md": ["cp -r examples/media ."],
    "docs/how-to/deploy.md": ["mv penstock.yaml new.yaml && penstock init . >/dev/null && mv new.yaml penstock.yaml"],
    "docs/how-to/dev.md": [
        "penstock init . >/dev/null",
        f"mkdir examples && cp -r {ROOT}/examples/media examples/ && cp {ROOT}/specs/media-cluster.* specs/",
    ],
    name_of(STARTER): ["penstock init . >/dev/null"],
    "docs/how-to/review.md": [
        "sed -i 's/replicas: {min: 0, max: 20}/replicas: {min: 0, max: 40}/' specs/media-cluster.yaml",
        "penstock generate",
        "export GITHUB_BASE_REF=main",
    ],
}
"""Commands that the reader has run before."""

OWN_FOLDER = ("docs/how-to/dev.md", name_of(STARTER))
"""Pages without specs whose readers do not start in a clone of this repository."""

PLATFORM = """\
kind: platform
environments:
  dev: {namespace: dev, redis: {addresses: ["REDIS"]}, routes: {default: {slack: "#dev"}}}
  production: {namespace: production, redis: {addresses: ["REDIS"]}, routes: {default: {slack: "#alerts"}}}
"""

PAGES = [pytest.param(page, id=name_of(page)) for page in pages.with_steps()]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exits_as_expected(page: Path, laptop: Server, tmp_path: Path) -> None:
    """In order, with the files that the page has written by then."""
    shell = reader(page, laptop, tmp_path)
    for block in blocks(page):
        if block.title:
            shell.write(block.title, block.text)
        run_commands(shell, page, block.steps() if block.has_steps else [])
    run_commands(shell, page, pages.inline_commands(page))


def run_commands(shell: Shell, page: Path, commands: list[str]) -> None:
    """Run the commands; before the first one, prepare the repository of the reader."""
    if commands and not (shell.folder / ".git").exists():
        clone(shell)
        must(shell, *SETUP.get(name_of(page), []))
    for step in commands:
        if step not in ELSEWHERE:
            assert outcome(shell, step) == EXIT_CODES.get((name_of(page), step), 0), step


def reader(page: Path, laptop: Server, folder: Path) -> Shell:
    """A shell in the folder of the page's reader."""
    redis_cli = folder / "bin" / "redis-cli"
    redis_cli.parent.mkdir()
    redis_cli.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/tests/support/redis_cli.py "$@"\n')
    redis_cli.chmod(0o755)
    repository = folder / "repository"
    repository.mkdir()
    shell = Shell(repository, PENSTOCK_TEST_REDIS=laptop.address, PASSWORD="a1b2")  # noqa: S106 - not a real password
    shell.environ["PATH"] = f"{redis_cli.parent}:{shell.environ['PATH']}"
    if any(block.is_ours for block in blocks(page)):
        shell.write("penstock.yaml", PLATFORM.replace("REDIS", laptop.address))
    elif name_of(page) not in OWN_FOLDER:
        for name in ("specs", "examples", "generated", "templates"):
            shutil.copytree(ROOT / name, repository / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "penstock.yaml", repository)
    for file, text in FILES.get(name_of(page), {}).items():
        shell.write(file, text)
    return shell


def clone(shell: Shell) -> None:
    """Commit everything, and let `origin/main` be that commit."""
    names = (f"GIT_{role}_{field}" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL"))
    shell.environ |= dict.fromkeys(names, "tests@example.com")
    shell.environ |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    must(
        shell,
        "git init --quiet && git add . && git commit --quiet --allow-empty --message begin",
        "git update-ref refs/remotes/origin/main HEAD",
    )


def must(shell: Shell, *commands: str) -> None:
    for command in commands:
        result = shell.run(command)
        assert result.returncode == 0, result


def outcome(shell: Shell, step: str) -> int:
    """The exit code; the output is in the report of a failure."""
    if step in INTERRUPTED:
        code, output = shell.interrupt(step, INTERRUPTED[step])
        assert INTERRUPTED[step] in output
    else:
        result = shell.run(f"set -o pipefail; {step}", TYPED.get(step, ""))
        code, output = result.returncode, result.stdout + result.stderr
    assert "Traceback" not in output
    sys.stdout.write(f"$ {step}\n{output}[exit code {code}]\n")
    return code


def steps(page: Path) -> list[str]:
    in_blocks = [step for block in blocks(page) if block.has_steps for step in block.steps()]
    return [*in_blocks, *pages.inline_commands(page)]


def test_every_exemption_has_its_command_on_a_page() -> None:
    """An exemption is removed with its command."""
    on_pages = {(name_of(page), step) for page in pages.with_steps() for step in steps(page)}
    assert {step for _, step in on_pages} >= ELSEWHERE.keys() | INTERRUPTED.keys() | TYPED.keys()
    assert EXIT_CODES.keys() <= on_pages
    names = {name_of(page) for page in pages.with_steps()}
    assert names >= FILES.keys() | SETUP.keys() | set(OWN_FOLDER)
    assert not ELSEWHERE.keys() & INTERRUPTED.keys()


def test_a_step_is_a_command_without_its_comments() -> None:
    """Continued lines are joined; no other line is skipped."""
    block = pages.Block("sh", "", "# comment\none 'a#b' \\\n  --two # comment\n\nthree '#four'\n")
    assert block.steps() == ["one 'a#b' --two", "three '#four'"]
    workflow = pages.Block(
        "yaml", ".github/workflows/one.yaml", "steps:\n  - {uses: it}\n  - run: five --six # comment\n"
    )
    assert workflow.steps() == ["five --six"]
