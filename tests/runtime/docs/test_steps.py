"""Commands of which a page shows no answer are run: each ends as it should. They stand in `sh` blocks, workflows, text.

A reader has what the page has them write; where it writes no spec, a clone of this repository with its branch on
`origin/main`, or what is said in BEFORE. Redis is the page's own, under whatever name. What cannot be run on a machine
without a cluster and a network stands in ELSEWHERE, with the reason; nothing else is left out.
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
    "make demo": "`.ci/run` does, and reads its last line; tests/dev/test_demo.py interrupts it",
    "make test": "it is what runs this",
    "kubectl get prometheus --all-namespaces -o jsonpath="
    "'{.items[*].spec.podMonitorSelector} {.items[*].spec.ruleSelector}'": "a cluster with Prometheus's operator",
    "kubectl apply -k generated/production/agent-queue/manifests": "a cluster; tests/validate judges the manifests",
    "helm upgrade --install agent-queue generated/chart -f generated/production/agent-queue/values.yaml": (
        "a cluster; tests/validate/test_chart.py renders it"
    ),
    "docker compose -f generated/dev/_environment/compose.yaml up": (
        "images of teams; tests/generate/test_compose.py reads the file"
    ),
    "kubectl -n media create secret generic redis-auth --from-file=password": "a cluster",
    "curl -sG http://prometheus.example/api/v1/query_range -o monday.json -d step=60 "
    "-d start=2027-01-04T07:00:00Z -d end=2027-01-04T11:00:00Z "
    '--data-urlencode \'query=sum(rate(penstock_sent_total{pipeline="thumbnails", outcome="new"}[2m]))\'': (
        "a Prometheus; what it would answer lies there"
    ),
    "penstock dev cache-agents": "tests/dev/test_schedulers.py runs a scheduler alone, and beside pipelines",
    "pip install -r requirements.txt": "a network",
    'gh pr comment "${{ github.event.number }}" --edit-last --create-if-none --body-file diff.md': "GitHub",
}
"""Commands that are not run here: what it takes, and who looks at what they take."""

ENDS = {
    ("docs/how-to/dev.md", "penstock dlq list media-cluster --env dev --embedded"): 1,  # there is none
    ("docs/how-to/test-scaling.md", "penstock test --junit scaling.xml"): 1,  # the page has broken an expectation
}
"""Exit codes other than 0."""

INTERRUPTED = {
    "penstock dev": "Redis is reachable",
    "penstock dev --env dev": "Redis is reachable",
    "penstock dev media-cluster --env dev --path examples --speed 10x": "Redis is reachable",
}
"""Commands that run until Ctrl-C, and what they say when they have begun. They end with 0."""

TYPED = {"penstock new my-pipeline": "media\nmedia.jobs:thumbnail\nregistry.example/media:1.0.0\n"}
"""What a command asks for at a terminal."""

JOB = {
    "job_id": "01JB6Z3Q0V9K2M4N6P8R0S2T4V",
    "pet_id": "00000000-0000-4000-8000-000000000001",
    "image_ids": ["00000000-0000-4000-8000-000000000002"],
    "reason": "upload",
    "metadata": {"emitted_at": "2026-01-01T00:00:00Z", "source": "auth-service"},
}
RATES = [[1_798_959_600 + 60 * minute, str(20 + minute % 7)] for minute in range(60)]
THERE = {
    "docs/how-to/dev.md": {"jobs.jsonl": f"{json.dumps(JOB)}\n"},
    "docs/how-to/size.md": {
        "monday.json": json.dumps(
            {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": RATES}]}}
        ),
        "took.txt": "1.5s\n900ms\n2s\n",
    },
}
"""Files that a page's reader has, and that the page does not show."""

BEFORE = {
    "docs/how-to/message-schemas.md": ["mkdir src && mv media src/"],
    "docs/how-to/ci.md": ["cp -r examples/media ."],
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
"""What a page's reader has done before."""

OWN_FOLDER = ("docs/how-to/dev.md", name_of(STARTER))
"""Pages without specs whose readers do not begin in a clone of this repository."""

PLATFORM = """\
kind: platform
environments:
  dev: {namespace: dev, redis: {addresses: ["REDIS"]}, routes: {default: {slack: "#dev"}}}
  production: {namespace: production, redis: {addresses: ["REDIS"]}, routes: {default: {slack: "#alerts"}}}
"""

PAGES = [pytest.param(page, id=name_of(page)) for page in pages.with_steps()]


@pytest.mark.parametrize("page", PAGES)
def test_every_step_ends_as_it_should(page: Path, laptop: Server, tmp_path: Path) -> None:
    """One after the other, beside the page's files as they are then."""
    shell = reader(page, laptop, tmp_path)
    for block in blocks(page):
        if block.title:
            shell.write(block.title, block.text)
        take(shell, page, block.steps() if block.has_steps else [])
    take(shell, page, pages.said_in_words(page))


def take(shell: Shell, page: Path, some: list[str]) -> None:
    """What a reader has done before is done before the first of them."""
    if some and not (shell.folder / ".git").exists():
        clone(shell)
        must(shell, *BEFORE.get(name_of(page), []))
    for step in some:
        if step not in ELSEWHERE:
            assert outcome(shell, step) == ENDS.get((name_of(page), step), 0), step


def reader(page: Path, laptop: Server, folder: Path) -> Shell:
    """In the folder where somebody reads it."""
    stands_in = folder / "bin" / "redis-cli"
    stands_in.parent.mkdir()
    stands_in.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/tests/support/redis_cli.py "$@"\n')
    stands_in.chmod(0o755)
    place = folder / "repository"
    place.mkdir()
    shell = Shell(place, PENSTOCK_TEST_REDIS=laptop.address, PASSWORD="a1b2")  # noqa: S106 - nobody's
    shell.environ["PATH"] = f"{stands_in.parent}:{shell.environ['PATH']}"
    if any(block.is_ours for block in blocks(page)):
        shell.write("penstock.yaml", PLATFORM.replace("REDIS", laptop.address))
    elif name_of(page) not in OWN_FOLDER:
        for name in ("specs", "examples", "generated", "templates"):
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "penstock.yaml", place)
    for file, text in THERE.get(name_of(page), {}).items():
        shell.write(file, text)
    return shell


def clone(shell: Shell) -> None:
    """As it stands, it is on `origin/main`."""
    names = (f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL"))
    shell.environ |= dict.fromkeys(names, "tests@example.com")
    shell.environ |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    must(
        shell,
        "git init --quiet && git add . && git commit --quiet --allow-empty --message begin",
        "git update-ref refs/remotes/origin/main HEAD",
    )


def must(shell: Shell, *commands: str) -> None:
    for command in commands:
        told = shell.run(command)
        assert told.returncode == 0, told


def outcome(shell: Shell, step: str) -> int:
    """Its exit code; what it said stands in the report of a failure."""
    if step in INTERRUPTED:
        code, said = shell.interrupt(step, INTERRUPTED[step])
        assert INTERRUPTED[step] in said
    else:
        told = shell.run(f"set -o pipefail; {step}", TYPED.get(step, ""))
        code, said = told.returncode, told.stdout + told.stderr
    assert "Traceback" not in said
    sys.stdout.write(f"$ {step}\n{said}[exit code {code}]\n")
    return code


def steps(page: Path) -> list[str]:
    in_blocks = [step for block in blocks(page) if block.has_steps for step in block.steps()]
    return [*in_blocks, *pages.said_in_words(page)]


def test_what_is_named_above_stands_on_a_page() -> None:
    """An exemption goes with the command that needed it."""
    there = {(name_of(page), step) for page in pages.with_steps() for step in steps(page)}
    assert {step for _, step in there} >= ELSEWHERE.keys() | INTERRUPTED.keys() | TYPED.keys()
    assert ENDS.keys() <= there
    named = {name_of(page) for page in pages.with_steps()}
    assert named >= THERE.keys() | BEFORE.keys() | set(OWN_FOLDER)
    assert not ELSEWHERE.keys() & INTERRUPTED.keys()


def test_a_step_is_a_command_without_the_words_about_it() -> None:
    """A line that goes on is one with the next; nothing else of a block is passed over."""
    block = pages.Block("sh", "", "# words\none 'a#b' \\\n  --two # words\n\nthree '#four'\n")
    assert block.steps() == ["one 'a#b' --two", "three '#four'"]
    workflow = pages.Block(
        "yaml", ".github/workflows/one.yaml", "steps:\n  - {uses: it}\n  - run: five --six # words\n"
    )
    assert workflow.steps() == ["five --six"]
