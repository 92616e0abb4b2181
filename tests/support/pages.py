"""The pages of the docs, as tests see them: their fenced blocks, and which player plays which page.

What a page shows in `console` is run by one of two players: `tests/transcripts/test_docs.py` (in this process, on a
repository without a Redis) and `tests/runtime/docs/test_pages.py` (in a real shell, with a Redis); or by the page's own
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
"""Where a page has what it shows of others' code: it is compiled, and needs packages that are not installed here."""
IN_PROCESS = frozenset({"penstock", "cd", "cat", "ls", "ln"})
OWN_PLAYER = {ROOT / "docs/explanation/generated.md": "tests/generate/test_tour.py"}
"""Pages whose commands need more than a folder and a Redis, and the test that plays them and looks at their `yaml`."""
WORKFLOWS = ".github/workflows/"
MADE = ("docs/rules/", "docs/reference/")
"""Written by `make generate` from what has tests of its own."""


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
        """Of a console, without what they say."""
        return [one.partition("\n")[0] for one in re.split(r"(?m)^\$ ", self.text) if one]

    @property
    def has_steps(self) -> bool:
        """Commands whose answers it does not show."""
        return self.kind == "sh" or self.title.startswith(WORKFLOWS)

    def steps(self) -> list[str]:
        """Those commands, each on one line and without the words about it."""
        if self.kind == "yaml":
            return [one["run"] for one in _mappings(yaml.safe_load(self.text)) if "run" in one]
        lines = re.sub(r"\\\n\s*", "", self.text).splitlines()
        return [step for line in lines if (step := re.sub(r"(^|\s+)#\s.*$", "", line).strip())]


def _mappings(data: object) -> Iterator[dict[str, Any]]:
    """All there are in what was read, from the outside in."""
    if isinstance(data, dict):
        yield data
        data = list(data.values())
    for one in data if isinstance(data, list) else ():
        yield from _mappings(one)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """Of the kind that is not in here, `tests/transcripts/test_every_block.py` finds each."""
    return [Block(one["kind"], one["title"] or "", one["text"]) for one in FENCE.finditer(page.read_text())]


def every_page() -> list[Path]:
    """All pages for readers that somebody has written."""
    found = [ROOT / "README.md", *ROOT.glob("packages/*/README.md"), *ROOT.glob("docs/**/*.md")]
    return sorted(page for page in found if not name_of(page).startswith(MADE))


def docs() -> list[Path]:
    """Those of them that teach: the README and docs/. What a package is for stands in a README of its own."""
    return [page for page in every_page() if not name_of(page).startswith("packages/")]


STARTER = ROOT / "packages/penstock/src/penstock/starter/README.md"
"""What stands in a repository that `penstock init` has made."""


def with_steps() -> list[Path]:
    """Pages with commands whose answers they do not show."""
    return [
        page for page in (*docs(), STARTER) if any(block.has_steps for block in blocks(page)) or said_in_words(page)
    ]


def said_in_words(page: Path) -> list[str]:
    """Commands in running text that can be typed as they stand; `penstock explain RULE` and a verb alone cannot."""
    spans = re.findall(r"`(penstock [\w-]+ [^`]+)`", FENCE.sub("", page.read_text()))
    return [span for span in spans if not re.search(r"[\[|]| [A-Z:]+(?= |$)", span)]


def meets_a_redis(page: Path) -> bool:
    """It has a command that needs more than this process and a folder."""
    commands = [command for block in blocks(page) if block.kind == "console" for command in block.commands()]
    return any(
        "--embedded" in command or "--redis " in command or program(command) not in IN_PROCESS for command in commands
    )


def program(command: str) -> str:
    """What is run, without the variables in front of it."""
    return next(word for word in command.split() if not re.match(r"[A-Z_]+=", word))


def in_process() -> list[Path]:
    return [page for page in every_page() if page not in OWN_PLAYER and not meets_a_redis(page)]


def in_a_shell() -> list[Path]:
    return [page for page in every_page() if page not in OWN_PLAYER and meets_a_redis(page)]


def platform(address: str | None = None) -> str:
    """The platform file that `penstock init` writes; its laptop has the Redis that is named."""
    text = (files("penstock") / "starter" / "penstock.yaml").read_text("utf-8")
    return text if address is None else text.replace("redis:6379", address, 1)


def spec_fragments(page: Path) -> Iterator[str]:
    """Parts of a spec that have no title, each as a spec of its own."""
    whole = {
        "kind": "pipeline",
        "name": "resize",
        "owner": {"team": "media"},
        "handler": "media.jobs:resize",
        "image": "registry.example/media:1.4.2",
    }
    for block in blocks(page):
        if block.kind == "yaml" and not block.title:
            part = yaml.safe_load(block.text) or {}
            yield yaml.safe_dump({**whole, **part}, sort_keys=False)
