"""The header of a script documents exactly the keys, arguments and reply that the script uses."""

import re
from pathlib import Path

import pytest
from lua_keys import Lua, called, files

from penstock.scripts import FOLDER, script

PART = re.compile(r"^-- (KEYS|ARGV|reply)(.*(?:\n--      .*)*)", re.MULTILINE)
NUMBER = re.compile(r"(?:^|\s\s|\n--\s+)(\d+)(?: and (\d+))?(\.\.)?(?= )")

SHARED = sorted(FOLDER.parent.glob("**/scripts/shared/*.lua"))


def parts(file: Path) -> dict[str, str]:
    return {match[1]: match[2] for match in PART.finditer(file.read_text())}


def numbers(part: str) -> tuple[set[int], bool]:
    """Return the numbers in a part of a header, and whether the last one means "and more"."""
    matches = NUMBER.findall(part)
    given = {int(number) for first, second, _ in matches for number in (first, second) if number}
    return given, bool(matches and matches[-1][2])


@pytest.mark.parametrize("file", files(), ids=called)
def test_a_header_names_the_script_its_keys_and_its_reply(file: Path) -> None:
    """The first line gives the name and the purpose."""
    assert file.read_text().startswith(f"-- {file.stem}: ")
    assert {*parts(file)} >= {"KEYS", "reply"}


@pytest.mark.parametrize("array", ["KEYS", "ARGV"])
@pytest.mark.parametrize("file", files(), ids=called)
def test_a_header_numbers_the_keys_and_arguments_in_use(file: Path, array: str) -> None:
    """There is no gap, and the script uses no other."""
    given, open_ = numbers(parts(file).get(array, ""))
    used = Lua(file.read_text()).used(array)
    assert given == set(range(1, len(given) + 1))
    assert used <= given or (open_ and max(used) > max(given))


@pytest.mark.parametrize("file", SHARED, ids=called)
def test_a_shared_file_starts_with_its_purpose(file: Path) -> None:
    """It defines one function, with the name of the file."""
    text = file.read_text()
    assert text.startswith("-- ")
    assert f"local function {file.stem}(" in text


def test_every_shared_file_is_used() -> None:
    """At least one script includes it."""
    assert {
        one for one in SHARED if not any(f"local function {one.stem}(" in sent_text(file) for file in files())
    } == set()


@pytest.mark.parametrize("file", files(), ids=called)
def test_a_script_includes_exactly_the_functions_it_calls(file: Path) -> None:
    """Each stands above its callers, because Lua looks for a local function above."""
    text = sent_text(file)
    for shared in {one.stem for one in SHARED}:
        calls = [match.start() for match in re.finditer(rf"(?<!function )\b{shared}\(", text)]
        definition = text.find(f"local function {shared}(")
        assert (definition < 0) == (not calls), shared
        assert all(call > definition for call in calls), shared


def sent_text(file: Path) -> str:
    """Return the text that Redis receives, without comments."""
    return re.sub(r"--.*", "", script(file.stem, file.parent).text.decode())
