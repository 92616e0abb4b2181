"""Transcripts: files, commands, and the exact output of the commands.

    # The subject of the transcript, in a sentence or two.

    -- specs/media.yaml --
    kind: pipeline

    $ penstock lint --strict
    error[missing-field]: ...
    2> a line of standard error
    [exit code 1]

The blocks run in order, and a blank line ends each. Commands are `penstock`, `cd`, `cat`, `ls` and `ln -s`.
`NAME=value` before a command sets a variable; `< FILE` after it types the file at a terminal.

`PENSTOCK_REWRITE_TRANSCRIPTS=1` replaces the recorded output by the present output.
"""

from __future__ import annotations

import io
import math
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from penstock_spec.examples import TODAY

MARK = re.compile(r"^(?:-- (?P<file>\S+) --|\$ (?P<command>.+))$", re.MULTILINE)
PLACE = "/repository"
VERSION = "<version>"

Main = Callable[[], None]
Play = Callable[[Path, Main], "tuple[str, str]"]


@dataclass(frozen=True)
class Block:
    """A file to write, or a command and its output."""

    file: str
    command: str
    text: str


def parse(text: str) -> tuple[str, list[Block]]:
    """The comment above the first block, and the blocks."""
    marks = list(MARK.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text) + 1]
    blocks = [
        Block(mark["file"] or "", mark["command"] or "", text[mark.end() + 1 : end - 1])
        for mark, end in zip(marks, ends, strict=True)
    ]
    return text[: marks[0].start()] if marks else text, blocks


def render(comment: str, blocks: list[Block]) -> str:
    """The text of a transcript; the inverse of `parse`."""
    return comment + "\n".join(
        f"-- {one.file} --\n{one.text}" if one.file else f"$ {one.command}\n{one.text}" for one in blocks
    )


class TypedInput(io.TextIOWrapper):
    """Input at a terminal, which echoes each line."""

    def __init__(self, text: str, echo: io.TextIOWrapper) -> None:
        super().__init__(io.BytesIO(text.encode()), "utf-8")
        self.echo = echo

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override] # of text, as everywhere above `IOBase`
        line = super().readline(size)
        self.echo.write(line)
        return line


class Player:
    """Plays a transcript in a folder, and knows the current folder of its commands."""

    def __init__(self, folder: Path, main: Main, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = self.here = folder
        self.main = main
        self.monkeypatch = monkeypatch

    def play(self, block: Block) -> Block:
        """Write a file, or run a command and record its output."""
        if block.command:
            return Block("", block.command, self.output_of(block.command))
        path = self.root / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        return block

    def output_of(self, command: str) -> str:
        words = shlex.split(command)
        variables = {}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        typed = ""
        if "<" in words:
            typed = (self.here / words[words.index("<") + 1]).read_text()
            words = words[: words.index("<")]
        match words:
            case ["cd", folder]:
                self.here = (self.here / folder).resolve()
                return ""
            case ["cat", file]:
                return (self.here / file).read_text()
            case ["ln", "-s", target, link]:
                (self.here / link).symlink_to(target)
                return ""
            case ["ls"]:
                return "".join(f"{one.relative_to(self.root).as_posix()}\n" for one in sorted(files(self.root)))
            case ["penstock", *_]:
                return self.penstock(words, variables, typed)
            case _:
                raise ValueError(f"a transcript cannot run `{command}`")

    def penstock(self, words: list[str], variables: dict[str, str], typed: str) -> str:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        code: object = 0
        modules = set(sys.modules)
        with self.monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(err), chdir(self.here):
            patch.setattr(sys, "argv", words)
            patch.setattr(sys, "path", [*sys.path])
            patch.setattr(sys, "stdin", TypedInput(typed, out) if typed else io.StringIO())
            patch.delenv("PENSTOCK_TRACEBACK", raising=False)
            # Slow commands print progress on a slow machine; a transcript is the same on every machine.
            patch.setattr("penstock.terminal.output.PROGRESS_ELSEWHERE", math.inf)
            for name, value in {"PENSTOCK_TODAY": str(TODAY), "COLUMNS": "100", **variables}.items():
                patch.setenv(name, value)
            try:
                self.main()
            except SystemExit as stop:
                code = stop.code
        for name in set(sys.modules) - modules:  # the next transcript must not see them
            if str(self.root) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
        errors = "".join(f"{f'2> {line}'.rstrip()}\n" for line in self.stable(err).splitlines())
        return ended(self.stable(out)) + errors + (f"[exit code {code}]\n" if code else "")

    def stable(self, stream: io.TextIOWrapper) -> str:
        stream.seek(0)
        return stream.read().replace(str(self.root), PLACE).replace(version("penstock"), VERSION)


def ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}[no end of line]\n"


def files(folder: Path) -> Iterator[Path]:
    hidden = (".penstock-cache",)
    return (one for one in folder.rglob("*") if one.is_file() and not set(hidden) & set(one.parts))


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """The recorded text of a transcript, and its text after running it."""

    def play(path: Path, main: Main) -> tuple[str, str]:
        recorded = path.read_text()
        comment, blocks = parse(recorded)
        folder = tmp_path / path.stem
        folder.mkdir()
        player = Player(folder, main, monkeypatch)
        return recorded, render(comment, [player.play(one) for one in blocks])

    return play
