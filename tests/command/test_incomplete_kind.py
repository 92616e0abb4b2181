"""A kind with a missing part makes a command fail with an error that names the kind and the part."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DEFINITION = """\
from typing import Annotated, Any, Literal

from penstock_spec.kinds.kind import Kind
from penstock_spec.model import Section, about
from penstock_spec.sections import Owner, Suppression
from penstock_spec.values.strings import Image, Name


class Ticker(Section):
    kind: Annotated[Literal["ticker"], about("The kind.", "ticker")]
    name: Annotated[Name, about("The name.", "clock")]
    owner: Annotated[Owner, about("The team.", {"team": "media"})]
    image: Annotated[Image, about("The image.", "registry.example/ticker:1.0.0")]
    suppress: Annotated[list[Suppression], about("Accepted findings.", [])] = []
    environments: Annotated[dict[Name, dict[str, Any]], about("Overrides.", {})] = {}


KIND = Kind(
    name="ticker",
    model=Ticker,
    derive=lambda data: {},
    required={},
    exposed=("name",),
    connections=lambda spec: 1,
    replicas_field="",
    rules="penstock_spec.kinds.ticker.rules",
    families="penstock_spec.kinds.ticker.families",
    metrics="penstock_spec.kinds.ticker.metrics",
    rights=RIGHTS,
)
"""
PROGRAM = """\
import sys

import penstock_generate.kinds
import penstock_spec.kinds

language, generator = sys.argv.pop(1), sys.argv.pop(1)
penstock_spec.kinds.__path__.append(language)
penstock_generate.kinds.__path__.append(generator)

from penstock.command import main

main()
"""
EMITTER = """\
from penstock_generate.inputs.plan import Member
from penstock_generate.kinds import Emitted
from penstock_generate.rendering.artifact import Artifact


def emit(it, templates):
    member = Member(
        name=it.name, kind="ticker", team="media", digest="0", role="ticker", args=(), maintained=False, scaled=False,
        patches_pods=False, image=it.spec.image, connections=1, grace_seconds=30,
    )
    return Emitted((Artifact(f"{it.folder}/ticker.txt", it.name, __name__),), member)
"""  # fmt: skip
SPEC = "kind: ticker\nname: clock\nowner: {team: media}\nimage: registry.example/ticker:1.0.0\n"
HINT = 'hint: see "Add a kind" in CONTRIBUTING.md of Penstock\n'
GENERATOR = "penstock_generate.kinds.ticker"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def language(tmp_path: Path) -> Path:
    """The folder of the kind in the spec language, without rights."""
    folder = tmp_path / "language/ticker"
    write(folder / "__init__.py", DEFINITION.replace("RIGHTS", '""'))
    write(folder / "rules/__init__.py", "")
    return folder


@pytest.fixture
def generator(tmp_path: Path) -> Path:
    """The folder of the kind in the generator, which does not exist yet."""
    return tmp_path / "generator/ticker"


@pytest.fixture
def run(tmp_path: Path, root: Path, language: Path, generator: Path) -> Run:
    """The command, with the kind, in a repository with one spec of it."""
    repository = tmp_path / "repository"
    write(repository / "specs/clock.yaml", SPEC)
    write(repository / "penstock.yaml", (root / "penstock.yaml").read_text())
    folders = [str(language.parent), str(generator.parent)]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", PROGRAM, *folders, *words]
        environ = {"PATH": os.environ["PATH"], "PENSTOCK_TODAY": "2026-01-01"}
        return subprocess.run(command, cwd=repository, env=environ, capture_output=True, text=True, check=False)

    return run


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def assert_fails(result: subprocess.CompletedProcess[str], says: str) -> None:
    assert (result.returncode, result.stderr) == (2, f"error: the kind `ticker` has no {says}\n{HINT}")


def test_the_language_needs_no_generator(run: Run) -> None:
    result = run("lint")
    assert (result.returncode, result.stdout, result.stderr) == (0, "no findings in 1 spec\n", "")


@pytest.mark.parametrize("verb", ["generate", "check"])
def test_generate_names_the_missing_emitter(run: Run, verb: str) -> None:
    assert_fails(run(verb), f"emitter: the module `{GENERATOR}` is missing")


def test_generate_names_what_the_emitter_lacks(run: Run, generator: Path) -> None:
    write(generator / "__init__.py", "")
    assert_fails(run("generate"), f"emitter: the module `{GENERATOR}` does not define `emit`")


def test_generate_names_the_missing_overview(run: Run, generator: Path) -> None:
    write(generator / "__init__.py", EMITTER)
    assert_fails(run("generate"), f"overview: the module `{GENERATOR}.overview` is missing")


def test_a_failing_import_is_not_a_missing_part(run: Run, generator: Path) -> None:
    """The author of the part needs the traceback."""
    write(generator / "__init__.py", "import no_such_module\n")
    assert "penstock itself failed: ModuleNotFoundError" in run("generate").stderr


def test_acl_names_the_kind_without_rights(run: Run) -> None:
    assert_fails(run("acl", "--env", "dev"), "rights: its `KIND` names no module for them")


def test_acl_names_what_the_rights_lack(run: Run, language: Path) -> None:
    module = "penstock_spec.kinds.ticker.rights"
    write(language / "__init__.py", DEFINITION.replace("RIGHTS", f'"{module}"'))
    assert_fails(run("acl", "--env", "dev"), f"rights: the module `{module}` is missing")
    write(language / "rights/__init__.py", "PER_SPEC_ROLES = SHARED_ROLES = ()\ncommands = patterns = None\n")
    assert_fails(run("acl", "--env", "dev"), f"rights: the module `{module}` does not define `needed_roles`")


def test_a_folder_without_a_definition_is_named(run: Run, language: Path) -> None:
    write(language / "__init__.py", "")
    assert_fails(run("lint"), "definition: the module `penstock_spec.kinds.ticker` does not define `KIND`")


def test_a_verb_of_another_kind_gives_no_hint_without_a_command(run: Run) -> None:
    result = run("worker", "specs/clock.yaml", "--env", "dev")
    assert (result.returncode, result.stderr) == (
        2,
        "error: `clock` is a ticker, not a pipeline\n",
    )
