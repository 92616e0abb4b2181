"""A script's header is its contract: what it says of keys, arguments and reply is what the script uses."""

import re
from pathlib import Path

import pytest
from lua_keys import Lua, called, files

from penstock.scripts import FOLDER, script

PART = re.compile(r"^-- (KEYS|ARGV|reply)(.*(?:\n--      .*)*)", re.MULTILINE)
NUMBER = re.compile(r"(?:^|\s\s|\n--\s+)(\d+)(?: and (\d+))?(\.\.)?(?= )")

SHARED = sorted(FOLDER.parent.glob("**/scripts/shared/*.lua"))


def parts(file: Path) -> dict[str, str]:
    return {found[1]: found[2] for found in PART.finditer(file.read_text())}


def numbers(said: str) -> tuple[set[int], bool]:
    """The numbers that a part of a header gives, and whether the last of them stands for more."""
    found = NUMBER.findall(said)
    given = {int(number) for first, second, _ in found for number in (first, second) if number}
    return given, bool(found and found[-1][2])


@pytest.mark.parametrize("file", files(), ids=called)
def test_a_header_tells_all_that_a_caller_needs(file: Path) -> None:
    """What it is called, what it does, and what it is given and answers."""
    assert file.read_text().startswith(f"-- {file.stem}: ")
    assert {*parts(file)} >= {"KEYS", "reply"}


@pytest.mark.parametrize("array", ["KEYS", "ARGV"])
@pytest.mark.parametrize("file", files(), ids=called)
def test_a_header_numbers_what_the_script_uses(file: Path, array: str) -> None:
    """Without a gap; and the script uses nothing that the header does not have."""
    given, open_ = numbers(parts(file).get(array, ""))
    used = Lua(file.read_text()).used(array)
    assert given == set(range(1, len(given) + 1))
    assert used <= given or (open_ and max(used) > max(given))


@pytest.mark.parametrize("file", SHARED, ids=called)
def test_what_is_shared_says_what_it_is_for(file: Path) -> None:
    """Words first; and one function of its own name."""
    text = file.read_text()
    assert text.startswith("-- ")
    assert f"local function {file.stem}(" in text


def test_nothing_is_shared_for_nobody() -> None:
    """Each shared file is written into a script."""
    assert {one for one in SHARED if not any(f"local function {one.stem}(" in told(file) for file in files())} == set()


@pytest.mark.parametrize("file", files(), ids=called)
def test_a_script_is_written_with_what_it_calls_and_nothing_else(file: Path) -> None:
    """In an order in which each finds what it needs: Lua looks for a local above."""
    text = told(file)
    for shared in {one.stem for one in SHARED}:
        calls = [found.start() for found in re.finditer(rf"(?<!function )\b{shared}\(", text)]
        written = text.find(f"local function {shared}(")
        assert (written < 0) == (not calls), shared
        assert all(call > written for call in calls), shared


def told(file: Path) -> str:
    """Everything that Redis is told, without comments."""
    return re.sub(r"--.*", "", script(file.stem, file.parent).text.decode())
