"""Code, examples and docs have the same rules, and each rule has a complete page."""

import re
from pathlib import Path

import pytest

from penstock_spec.catalogue import catalogue
from penstock_spec.examples import path_of
from penstock_spec.rules.define import Rule

NAMES = sorted(catalogue())


@pytest.fixture(scope="module")
def folders() -> set[Path]:
    """All folders with rules."""
    return {path_of(rule).parent for rule in catalogue().values()}


def test_every_module_beside_a_rule_defines_one_rule(folders: set[Path]) -> None:
    """No two rules share a name, and every module defines its rule."""
    modules = sorted(path.stem.replace("_", "-") for folder in folders for path in folder.glob("[!_]*.py"))
    assert modules == NAMES


def test_every_rule_has_an_example_file_and_every_example_file_a_rule(folders: set[Path]) -> None:
    """There is one YAML file per rule."""
    assert sorted(path.stem.replace("_", "-") for folder in folders for path in folder.glob("*.yaml")) == NAMES


def test_every_rule_has_a_docs_page_and_every_page_a_rule(root: Path) -> None:
    """There is one page per rule."""
    pages = (path.stem for path in (root / "docs/rules").glob("*.md"))
    assert sorted(set(pages) - {"README"}) == NAMES


def test_the_catalogue_maps_names_to_rules() -> None:
    """Two rules with one name would hide one of them."""
    rules: dict[str, Rule] = catalogue()
    assert [rule.name for rule in rules.values()] == list(rules)


@pytest.mark.parametrize("name", NAMES)
def test_a_title_fits_on_one_line(name: str) -> None:
    """It starts with a capital letter, has no full stop, and fits after `error[name]:`."""
    title = catalogue()[name].title
    assert re.fullmatch(r"[A-Z].{9,69}[^.\s]", title)


def test_no_two_rules_share_a_title() -> None:
    """Readers of a report must be able to tell rules apart."""
    titles = [rule.title for rule in catalogue().values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_explains_the_problem_and_the_fix(name: str) -> None:
    """It has at least two paragraphs below the title."""
    _, *paragraphs = re.split(r"\n\s*\n", catalogue()[name].page.strip())
    assert len(paragraphs) >= 2
    assert all(one.strip() for one in paragraphs)
