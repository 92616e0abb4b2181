"""Commands load no heavy module before they need it, and users see no traceback."""

from __future__ import annotations

import re
import resource
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from patience import PATIENCE

from penstock.command import app
from penstock.terminal.verbs import USUAL_WORDS, VERBS

HEAVY = ("pydantic", "pydantic_core", "ruamel", "yaml", "jsonschema_rs", "asyncio")
LOADED = "import sys; from penstock.command import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"


WITHOUT_GENERATOR = """
import sys
sys.modules["penstock_generate"] = None
from penstock.command import main
main()
"""
"""As in a pod, which has no generator."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate"], "`generate` is part of `penstock-generate`, which is not installed"),
        (["explain", "generated/dev/jobs/rules.yaml:3"], "to explain generated files, install `penstock-generate`"),
        (["explain", "pausd"], "no rule `pausd`"),
    ],
)
def test_without_the_generator_the_missing_package_is_named(
    repository: Path, arguments: list[str], message: str
) -> None:
    command = [sys.executable, "-c", WITHOUT_GENERATOR, *arguments]
    result = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def modules_loaded_by(folder: Path, *arguments: str) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return {name.partition(".")[0] for name in result.stderr.split()}


def test_help_loads_no_heavy_module(repository: Path) -> None:
    loaded = modules_loaded_by(repository, "--help")
    assert "click" in loaded
    assert not loaded & set(HEAVY)


def test_an_unchanged_lint_loads_no_heavy_module(repository: Path) -> None:
    assert "pydantic" in modules_loaded_by(repository, "lint")
    assert not modules_loaded_by(repository, "lint") & set(HEAVY)


def test_the_table_of_verbs_matches_the_verbs() -> None:
    """`--help` lists the verbs from a table without loading them."""
    context = click.Context(app)
    for name, summary in VERBS.items():
        command = app.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.get_short_help_str(200) == summary


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_option_has_help(verb: str, penstock: Callable[..., Any]) -> None:
    ran = penstock(verb, "--help")
    assert ran.code == 0
    command = app.get_command(click.Context(app), verb)
    assert command is not None
    assert all(option.help for option in command.params if isinstance(option, click.Option))


def examples(command: click.Command) -> list[str]:
    """The examples in the help of a command and its subcommands, without their explanations."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    _, _, section = (command.help or "").partition("Examples:\n")
    own = [re.split(r"\s{3,}| < ", line.strip())[0] for line in section.splitlines() if line.strip()]
    return [*own, *(one for other in below for one in examples(other))]


@pytest.mark.parametrize("verb", VERBS)
def test_every_example_of_the_help_is_valid(verb: str, repository: Path) -> None:
    """Its verb, options and values are accepted."""
    (repository / "src").mkdir()
    top = app.get_command(click.Context(app), verb)
    assert top is not None
    for example in examples(top):
        command: click.Command = app
        context = click.Context(app, info_name="penstock", **app.context_settings)
        name, *arguments = shlex.split(example)
        while isinstance(command, click.Group):
            name = arguments.pop(0)
            subcommand = command.get_command(context, name)
            assert subcommand is not None, example
            command = subcommand
        command.make_context(name, arguments, parent=context)  # raises the error that a user would see


def test_most_verbs_have_examples() -> None:
    with_examples = [verb for verb in VERBS if examples(app.get_command(click.Context(app), verb) or app)]
    assert len(with_examples) > len(VERBS) // 2


@pytest.mark.usefixtures("repository")
def test_an_internal_error_is_one_line(penstock: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("penstock_spec.linting.cache.lint", broken)
    ran = penstock("lint")
    assert ran.code == 2
    assert ran.err.startswith("error: penstock itself failed: RuntimeError in ")
    assert "Traceback" not in ran.err


def test_a_closed_pipe_is_not_reported(repository: Path) -> None:
    """`penstock rules | head -1` prints one line and no error."""
    shell = f"{sys.executable} -m penstock rules | head -1"
    done = subprocess.run(["bash", "-c", shell], cwd=repository, capture_output=True, text=True, check=True)
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


LINT = [sys.executable, "-m", "penstock", "lint"]


def test_closed_standard_output_is_not_an_error(repository: Path) -> None:
    """`penstock lint >&-` prints no error and exits as usual."""
    done = subprocess.run(["bash", "-c", f"{' '.join(LINT)} >&-"], cwd=repository, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def limit_file_size() -> None:
    """Refuse the next byte that is written to a file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_full_disk_is_reported(repository: Path) -> None:
    with (repository / "output.txt").open("w") as file:
        done = subprocess.run(
            LINT,
            cwd=repository,
            stdout=file,
            stderr=subprocess.PIPE,
            preexec_fn=limit_file_size,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: File too large, while writing\nhint: ")


def test_a_deleted_folder_is_reported(repository: Path) -> None:
    """Somebody removed the current folder of the shell."""
    command = f"mkdir gone && cd gone && rmdir ../gone && {' '.join(LINT)}"
    done = subprocess.run(["bash", "-c", command], cwd=repository, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the current folder no longer exists" in done.stderr


INTERRUPTED = """
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            print("loading", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
sys.argv[1:] = ["rules"]
from penstock.entry import main
main()
"""


@pytest.mark.parametrize("module", ["penstock.command", "click", "penstock_spec.findings", "penstock.command.rules"])
def test_ctrl_c_during_the_start_prints_one_word(module: str) -> None:
    """Loading takes half of the start; Ctrl-C then prints no traceback and has the usual exit code."""
    command = [sys.executable, "-c", INTERRUPTED.format(module=module)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "\nstopped\n")  # a terminal has already shown `^C`


def test_an_ignored_ctrl_c_stays_ignored() -> None:
    """As in commands that a shell runs in the background."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from penstock import entry; import os; "
        "os.kill(os.getpid(), signal.SIGINT); import sys; sys.argv[1:] = ['--version']; entry.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("penstock ")


@pytest.mark.parametrize("suggestion", sorted(set(USUAL_WORDS.values())))
def test_a_suggested_command_exists(suggestion: str) -> None:
    """A word of another tool leads to a command of Penstock."""
    group: click.Command | None = app
    for word in suggestion.split():
        assert isinstance(group, click.Group)
        group = group.get_command(click.Context(group), word)
    assert group is not None
    assert not set(USUAL_WORDS) & set(VERBS)
