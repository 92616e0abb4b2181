"""The pages of the docs: their fenced blocks, and the test that runs each page.

One of two tests runs the `console` blocks of a page: `tests/transcripts/test_docs.py` (in this process, in a repository
without Redis) or `tests/runtime/docs/test_pages.py` (in a real shell, with Redis). Some pages have their own test
(`OWN_PLAYER`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r'^```(?P<kind>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
OTHERS = "before/"
"""The folder of other projects' code: tests only compile it, as it needs packages that are not installed here."""
IN_PROCESS = frozenset({"penstock", "cd", "cat", "ls", "ln"})
OWN_PLAYER = {ROOT / "docs/explanation/generated.md": "tests/generate/test_tour.py"}
"""Pages whose commands need more than a folder and Redis, and the test that runs them and checks their `yaml`."""
WORKFLOWS = ".github/workflows/"
MADE = ("docs/rules/", "docs/reference/")
"""Written by `make generate`, from sources that have their own tests."""


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    kind: str
    title: str
    text: str

    @property
    def is_others(self) -> bool:
        return self.title.startswith(OTHERS)

    @property
    def is_ours(self) -> bool:
        """A spec or a platform file."""
        return self.kind == "yaml" and (self.title == "penstock.yaml" or self.title.startswith("specs/"))

    def commands(self) -> list[str]:
        """The commands of a console block, without their output."""
        return [one.partition("\n")[0] for one in re.split(r"(?m)^\$ ", self.text) if one]

    @property
    def has_steps(self) -> bool:
        """Whether it has commands without their output."""
        return self.kind == "sh" or self.title.startswith(WORKFLOWS)

    def steps(self) -> list[str]:
        """Those commands, each on one line and without comments."""
        if self.kind == "yaml":
            return [one["run"] for one in _mappings(yaml.safe_load(self.text)) if "run" in one]
        lines = re.sub(r"\\\n\s*", "", self.text).splitlines()
        return [step for line in lines if (step := re.sub(r"(^|\s+)#\s.*$", "", line).strip())]


def _mappings(data: object) -> Iterator[dict[str, Any]]:
    """All mappings in parsed YAML, outer ones first."""
    if isinstance(data, dict):
        yield data
        data = list(data.values())
    for one in data if isinstance(data, list) else ():
        yield from _mappings(one)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page; `tests/transcripts/test_docs_blocks.py` checks that none is missed."""
    return [Block(one["kind"], one["title"] or "", one["text"]) for one in FENCE.finditer(page.read_text())]


def every_page() -> list[Path]:
    """All pages that are written by hand."""
    pages = [ROOT / "README.md", *ROOT.glob("packages/*/README.md"), *ROOT.glob("docs/**/*.md")]
    return sorted(page for page in pages if not name_of(page).startswith(MADE))


def docs() -> list[Path]:
    """The README and docs/, without the READMEs of the packages."""
    return [page for page in every_page() if not name_of(page).startswith("packages/")]


STARTER = ROOT / "packages/penstock/src/penstock/starter/README.md"
"""The README of a repository that `penstock init` creates."""


def with_steps() -> list[Path]:
    """Pages that have commands without their output."""
    return [
        page for page in (*docs(), STARTER) if any(block.has_steps for block in blocks(page)) or inline_commands(page)
    ]


def inline_commands(page: Path) -> list[str]:
    """Commands in running text that can be run as they are; `penstock explain RULE` and a verb alone cannot."""
    spans = re.findall(r"`(penstock [\w-]+ [^`]+)`", FENCE.sub("", page.read_text()))
    return [span for span in spans if not re.search(r"[\[|]| [A-Z:]+(?= |$)", span)]


def meets_a_redis(page: Path) -> bool:
    """Whether a command of the page needs more than this process and a folder."""
    commands = [command for block in blocks(page) if block.kind == "console" for command in block.commands()]
    return any(
        "--embedded" in command or "--redis " in command or program(command) not in IN_PROCESS for command in commands
    )


def program(command: str) -> str:
    """The program of a command, without the variables before it."""
    return next(word for word in command.split() if not re.match(r"[A-Z_]+=", word))


def in_process() -> list[Path]:
    return [page for page in every_page() if page not in OWN_PLAYER and not meets_a_redis(page)]


def in_a_shell() -> list[Path]:
    return [page for page in every_page() if page not in OWN_PLAYER and meets_a_redis(page)]


def platform(address: str | None = None) -> str:
    """The platform file that `penstock init` writes, with another Redis for the first environment."""
    text = (files("penstock") / "starter" / "penstock.yaml").read_text("utf-8")
    return text if address is None else text.replace("redis:6379", address, 1)


def spec_fragments(page: Path) -> Iterator[str]:
    """Untitled parts of a spec, each completed to a spec."""
    base = {
        "kind": "pipeline",
        "name": "resize",
        "owner": {"team": "media"},
        "handler": "media.jobs:resize",
        "image": "registry.example/media:1.4.2",
    }
    for block in blocks(page):
        if block.kind == "yaml" and not block.title:
            part = yaml.safe_load(block.text) or {}
            yield yaml.safe_dump({**base, **part}, sort_keys=False)
