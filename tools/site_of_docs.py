"""Hooks for the builder of the site (`hooks` in mkdocs.yml).

- The navigation is docs/README.md: its headings, and under each the pages that it lists. Rules are below their index.
- Linked files outside docs/ are added under `repository/`: Markdown unchanged, other files as code blocks, folders as
  lists. So a link works on the code host and on the site alike, and a broken link fails the build.
- A diagram is shown as the picture that `make generate` draws of it.
- Nothing is loaded from other hosts: a page that does so fails the build.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = PurePosixPath("docs")
INDEX = DOCS / "README.md"
RULES = DOCS / "rules"
ALONG = "repository"
"""The folder of the site for files outside docs/."""
AS_IT_IS = frozenset({".md", ".json", ".svg"})

DIAGRAMS = {"explanation/states.md": "../pictures/states.svg"}
"""Pages with a Mermaid diagram, and the picture of it."""
DIAGRAM = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?!\w+:)(?P<to>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?=\))")
LISTED = re.compile(r"^- \[[^\]]+\]\((?P<to>[^)\s#]+)\)", re.MULTILINE)
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
FOREIGN = re.compile(r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//|<link\b[^>]*\bhref="(?:https?:)?//')


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation."""
    config.nav = navigation(root_of(config))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add linked files outside docs/, and the files that they link to."""
    root = root_of(config)
    pending = [DOCS / file.src_uri for file in files.documentation_pages()]
    known = set(pending)
    while pending:
        for target in targets(root, pending.pop()):
            if target not in known and not is_in_docs(target):
                known.add(target)
                pending.append(target)
                files.append(File.generated(config, uri_of(root, target), content=content_of(root, target)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - as called
    """Rewrite links out of docs/ to the added files, and replace diagrams by pictures."""
    return relinked(root_of(config), home_of(page.file.src_uri), pictured(page.file.src_uri, markdown))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001 - as called
    """Refuse content from other hosts."""
    refuse_foreign(page.file.src_uri, output)
    return output


def refuse_foreign(page: str, output: str) -> None:
    """Refuse content that a browser would fetch from other hosts; links to them are allowed."""
    if match := FOREIGN.search(output):
        raise PluginError(f"{page} loads from another host: {match.group()}")


def navigation(root: Path) -> list[Any]:
    """The navigation by the headings of the index, which is the first entry."""
    nav: list[Any] = [uri_of(root, INDEX)]
    for section in re.split(r"(?m)^## ", (root / INDEX).read_text())[1:]:
        title, _, text = section.partition("\n")
        nav.append({title: list(entries(root, text))})
    return nav


def entries(root: Path, text: str) -> Iterator[Any]:
    """The pages of a section in their order, without folders and other files."""
    for listed in LISTED.finditer(text):
        page = normal(DOCS / listed["to"])
        if page == RULES / "README.md":
            below = sorted(path.name for path in (root / RULES).glob("*.md") if path.name != page.name)
            yield {"The rules": [uri_of(root, page), *(uri_of(root, RULES / name) for name in below)]}
        elif page.suffix == ".md":
            yield uri_of(root, page)


def pictured(page: str, markdown: str) -> str:
    """Replace a diagram by its picture: a browser would need a script from another host to draw it."""
    if not DIAGRAM.search(markdown):
        return markdown
    if page not in DIAGRAMS:
        raise PluginError(f"{page} has a diagram, and `DIAGRAMS` of tools/site_of_docs.py no picture of it")
    return DIAGRAM.sub(f"![{page}]({DIAGRAMS[page]})", markdown)


def relinked(root: Path, page: PurePosixPath, markdown: str) -> str:
    """The text of a page with its links as on the site."""
    here = PurePosixPath(uri_of(root, page)).parent

    def led(link: re.Match[str]) -> str:
        target = normal(page.parent / link["to"])
        if (is_in_docs(target) and is_in_docs(page)) or not (root / target).exists():
            return link.group()
        return os.path.relpath(uri_of(root, target), here) + (link["anchor"] or "")

    parts = FENCE.split(markdown)
    return "".join(part if number % 2 else LINK.sub(led, part) for number, part in enumerate(parts))


def targets(root: Path, page: PurePosixPath) -> Iterator[PurePosixPath]:
    """Files and folders of the repository that a page links to."""
    if page.suffix != ".md":
        return
    for part in FENCE.split((root / page).read_text())[::2]:
        for link in LINK.finditer(part):
            target = normal(page.parent / link["to"])
            if (root / target).exists():
                yield target


def content_of(root: Path, path: PurePosixPath) -> str | bytes:
    """The content of the site for a file outside docs/."""
    there = root / path
    if there.is_dir():
        return f"# {path}\n\n" + "".join(
            f"- `{one.name}`\n" for one in sorted(there.iterdir()) if one.name[0] not in "._"
        )
    if path.suffix in AS_IT_IS:
        return there.read_bytes()
    return f"# {path}\n\n````{path.suffix[1:]}\n{there.read_text()}````\n"


def uri_of(root: Path, path: PurePosixPath) -> str:
    """The path of a file of the repository in the sources of the site."""
    if is_in_docs(path):
        return path.relative_to(DOCS).as_posix()
    seen = str(path).replace("/.", "/dot")  # the builder skips names that begin with a dot
    if (root / path).is_dir():
        return f"{ALONG}/{seen}/index.md"
    return f"{ALONG}/{seen}" if path.suffix in AS_IT_IS else f"{ALONG}/{seen}.md"


def home_of(uri: str) -> PurePosixPath:
    """The path in the repository of a source of the site."""
    path = PurePosixPath(uri)
    return path.relative_to(ALONG) if path.parts[0] == ALONG else DOCS / path


def is_in_docs(path: PurePosixPath) -> bool:
    return path.is_relative_to(DOCS)


def normal(path: PurePosixPath) -> PurePosixPath:
    return PurePosixPath(os.path.normpath(path))


def root_of(config: MkDocsConfig) -> Path:
    return Path(config.docs_dir).parent
