"""Pages that need no Redis show real output: the test writes their files, runs their commands and compares."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pages
import pytest
from pages import FENCE

from penstock.command import app, main


def as_transcript(page: str) -> str:
    """The files and commands of a page as a transcript, on the platform file that `penstock init` writes."""
    blocks = [f"-- penstock.yaml --\n{pages.platform()}"]
    for fence in FENCE.finditer(page):
        if fence["title"]:
            blocks.append(f"-- {fence['title']} --\n{fence['text']}")
        elif fence["kind"] == "console":
            blocks += [f"$ {one}" for one in re.split(r"(?m)^\$ ", fence["text"]) if one]
    return "\n".join(block if block.endswith("\n") else f"{block}\n" for block in blocks)


def rewritten(page: str, output: str) -> str:
    """The page with the output of its commands."""
    outputs = iter(re.findall(r"(?ms)^(\$ .+?\n)(?=\n?^(?:\$ |-- \S+ --$)|\Z)", output))

    def with_outputs(fence: re.Match[str]) -> str:
        if fence["kind"] != "console":
            return fence[0]
        commands = [one for one in re.split(r"(?m)^\$ ", fence["text"]) if one]
        return "```console\n" + "".join(next(outputs) for _ in commands) + "```"

    return FENCE.sub(with_outputs, page)


def without_streams(transcript: str) -> str:
    """As on a screen: lines of standard error have no mark, and exit codes are not shown."""
    return re.sub(r"(?m)^\[exit code .\]\n", "", re.sub(r"(?m)^2> ?", "", transcript))


@pytest.mark.parametrize("page", pages.in_process(), ids=pages.name_of)
def test_pages_show_real_output(page: Path, play: Callable[[Path, Any], tuple[str, str]], tmp_path: Path) -> None:
    """Word for word."""
    transcript = tmp_path / "page.txt"
    transcript.write_text(as_transcript(page.read_text()))
    recorded, actual = play(transcript, main)
    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        page.write_text(rewritten(page.read_text(), without_streams(actual)))
    assert without_streams(actual) == recorded


@pytest.mark.parametrize("page", pages.every_page(), ids=pages.name_of)
def test_every_command_on_a_page_exists(page: Path) -> None:
    """Commands in running text may have placeholders, but their verbs and options are real."""
    for line in re.findall(r"`(penstock [^`]+)`", page.read_text()):
        verb, *rest = shlex.split(line, comments=True)[1:]
        command = app.get_command(click.Context(app), verb)
        assert command, line
        options = {name for option in all_options(command) for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in rest if word.startswith("-")} <= options | {"--help"}, line


def all_options(command: click.Command) -> list[click.Parameter]:
    """The options of a command and of its subcommands."""
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    return [*command.params, *(option for one in inner for option in all_options(one))]
