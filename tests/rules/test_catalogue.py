"""Code, examples and docs have the same rules, and each has a page worth opening."""

import re
from pathlib import Path

import pytest

from penstock_spec.catalogue import catalogue
from penstock_spec.examples import path_of
from penstock_spec.rules.define import Rule

NAMES = sorted(catalogue())


@pytest.fixture(scope="module")
def folders() -> set[Path]:
    """Every folder that holds rules."""
    return {path_of(rule).parent for rule in catalogue().values()}


def test_every_module_beside_a_rule_is_one_rule(folders: set[Path]) -> None:
    """No name is taken twice, none hides another, and no module forgets to say its rule."""
    modules = sorted(path.stem.replace("_", "-") for folder in folders for path in folder.glob("[!_]*.py"))
    assert modules == NAMES


def test_every_rule_has_examples_and_all_examples_have_a_rule(folders: set[Path]) -> None:
    """One YAML file a rule."""
    assert sorted(path.stem.replace("_", "-") for folder in folders for path in folder.glob("*.yaml")) == NAMES


def test_every_rule_has_a_docs_page_and_all_pages_have_a_rule(root: Path) -> None:
    """One page a rule."""
    pages = (path.stem for path in (root / "docs/rules").glob("*.md"))
    assert sorted(set(pages) - {"README"}) == NAMES


def test_the_catalogue_keeps_rules_under_their_names() -> None:
    """Two rules under one name would leave one out."""
    rules: dict[str, Rule] = catalogue()
    assert [rule.name for rule in rules.values()] == list(rules)


@pytest.mark.parametrize("name", NAMES)
def test_a_title_says_what_is_bad_in_a_line(name: str) -> None:
    """It starts with a capital, ends without a full stop, and fits behind `error[name]:`."""
    title = catalogue()[name].title
    assert re.fullmatch(r"[A-Z].{9,69}[^.\s]", title)


def test_no_two_rules_share_a_title() -> None:
    """A reader of a report could not tell them apart."""
    titles = [rule.title for rule in catalogue().values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_what_goes_wrong_and_how_to_put_it_right(name: str) -> None:
    """Below the title stand at least two paragraphs."""
    _, *paragraphs = re.split(r"\n\s*\n", catalogue()[name].page.strip())
    assert len(paragraphs) >= 2
    assert all(one.strip() for one in paragraphs)
