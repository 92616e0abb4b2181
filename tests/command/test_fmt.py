"""`penstock fmt` changes the style only."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.files import File
from penstock_spec.formatting import NotFormatted, formatted
from penstock_spec.reading import read

Run = Callable[..., Any]

LOOSE = """\
# the owner
kind:   pipeline   # a kind
name: media-cluster


# between
owner: { team: media,contact: "#media" }
work:
    # inside
    concurrency: 4
    timeout:   1m30s
handler: 'media.clustering:cluster'
image: registry.example/media:1.30
retries: {classes: {never: {match: [ "ValueError" ], attempts: 1}}}
message: {correlate: null}
environments:
    dev: { work.concurrency: 1 }
"""
FORMATTED = """\
# the owner
kind: pipeline     # a kind
name: media-cluster

# between
owner: {team: media, contact: "#media"}
work:
  # inside
  concurrency: 4
  timeout: 1m30s
handler: 'media.clustering:cluster'
image: registry.example/media:1.30
retries: {classes: {never: {match: ["ValueError"], attempts: 1}}}
message: {correlate: null}
environments:
  dev: {work.concurrency: 1}
"""


def style(text: str | bytes) -> str | NotFormatted:
    content = text.encode() if isinstance(text, str) else text
    return formatted(File(Path("spec.yaml"), "spec.yaml", content))


def test_a_file_is_formatted() -> None:
    assert style(LOOSE) == FORMATTED


def test_formatted_files_stay_unchanged() -> None:
    assert style(FORMATTED) == FORMATTED


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_and_the_byte_order_mark_are_normalized(ends: str) -> None:
    assert style(b"\xef\xbb\xbf" + LOOSE.replace("\n", ends).encode()) == FORMATTED


def test_values_keep_their_notation() -> None:
    text = "a: 1.30\nb: 0x10\nc: 1m30s\nd: \"12\"\ne: yes\nf: 'it''s'\ng: ~\nh: |\n  line\n   line\ni: 1e3\n"
    result = style(text)
    assert isinstance(result, str)
    before, after = read("a", text.encode()).data, read("a", result.encode()).data
    assert [str(value) for value in before.values()] == [str(value) for value in after.values()]


@pytest.mark.parametrize("text", ["a: [1\n", "a: 1\na: 2\n", "a: &x 1\n", "", "- \t- a\n\t- b\n"])
def test_unreadable_files_stay_unchanged(text: str) -> None:
    assert isinstance(style(text), NotFormatted)


COMMENTS = {
    "below the last block": ("dev:\n    a: 3s\n# vim: set ft=yaml\n", "dev:\n  a: 3s\n# vim: set ft=yaml\n"),
    "above the next key": ("a:\n    b:\n        c: 1\n# of d\nd: 1\n", "a:\n  b:\n    c: 1\n# of d\nd: 1\n"),
    "at the end of its block": ("a:\n    b: 1\n    # of a\nd: 1\n", "a:\n  b: 1\n  # of a\nd: 1\n"),
    "above blank lines": ("work: # one\n  # two\n\n\n  a: 3\n", "work: # one\n  # two\n\n  a: 3\n"),
    "instead of a block": ("work:\n    # a: 1\n    #   b: 2\nd: 1\n", "work:\n  # a: 1\n  #   b: 2\nd: 1\n"),
    "between the depths": ("a:\n  # b's\n    b: 1\n  # b's\nd: 1\n", "a:\n  # b's\n  b: 1\n  # b's\nd: 1\n"),
    "in an item": ("a:\n-   b: 1\n    # b's\n# a's\n-   b: 2\n", "a:\n  - b: 1\n    # b's\n  # a's\n  - b: 2\n"),
    "below a text": ("a: >-\n    text\n\n  # a's\nb: 1\n", "a: >-\n  text\n\n# a's\nb: 1\n"),
    "behind a value": ("a:\n    b:   1 # one\n    c: 2  # two\n", "a:\n  b: 1 # one\n  c: 2  # two\n"),
    "below each other": (
        "a:             # one\n    b: [ 1,2 ] # two\n               # three\n",
        "a:             # one\n  b: [1, 2]    # two\n               # three\n",
    ),
    "in a list": ("a:\n- - c\n- Z # z\n", "a:\n  - - c\n  - Z # z\n"),
    "in brackets": (
        "a:\n    b: { c: 1, # one\n      # two\n      d: 2\n    }\n",
        "a:\n  b: {c: 1, # one\n    # two\n    d: 2\n  }\n",
    ),
}


@pytest.mark.parametrize(("loose", "formatted_text"), COMMENTS.values(), ids=COMMENTS)
def test_comments_stay_with_their_lines(loose: str, formatted_text: str) -> None:
    assert style(loose) == formatted_text
    assert style(formatted_text) == formatted_text


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  one\n\n\n\n  two  \nb: >-\n\n  three\n\n# comment\nc: |+\n  four\n\n\n",
        "a: |2\n     one\n    two\n",
        "a: |\n  no line's end",
        'a: one\n\n\n  two\nb: "one \\\n  two"\n',
        "a: {b: , c: ,}\n",
        "? a\n: - b\n",
        "--- {a: 1}\n",
        "--- # marked\na: 1\n...\n# the end\n",
    ],
)
def test_significant_text_stays(text: str) -> None:
    assert style(text) == text


def test_block_texts_are_indented_as_one() -> None:
    assert style("a:\n    b: |\n          one\n            two\n") == "a:\n  b: |\n    one\n      two\n"


PLAIN = ["1", " null", "  1.30", "", '"a # b"', "{ a: 1,b: [ 2 ] }"]
LONG = ["[\n]", "{ a: 1, #\n x: 2 }", '"one\n     two"', "one\n\n      two"]
TEXTS = ["|\n      one\n\n\n       two", ">-\n         one\n\n", "|+\n      one\n\n", "|9\n            one"]
VALUES = st.sampled_from([*PLAIN, *LONG, *TEXTS])
BETWEEN = st.sampled_from(["", "", "", "", "\n", "\n\n\n"]) | st.integers(0, 9).map(lambda one: " " * one + "#\n")
BEHIND = st.sampled_from(["", "", " #", "   #", "  "])


@st.composite
def blocks(draw: st.DrawFn, indent: str = "", dash: str = "") -> str:
    """A mapping, or a list if `dash` is set, in some style with comments anywhere; each `#` at a line's end is one."""
    text = ""
    for number in range(draw(st.integers(1, 4))):
        text += draw(BETWEEN)
        start = f"{indent}{dash or f'k{number}:'}"
        if len(indent) < 9 and draw(st.booleans()):
            inner = draw(st.sampled_from(["", "- ", "-   "]))
            deeper = draw(st.integers(0 if inner and not dash else 1, 4))
            text += f"{start}{draw(BEHIND)}\n{draw(blocks(indent + ' ' * deeper, inner))}"
            continue
        value = draw(VALUES)
        last = "" if value in TEXTS else draw(BEHIND)
        text += f"{start} {value}{last}\n".replace("\n", "\n" + indent).removesuffix(indent)
    return text


@given(blocks())
def test_formatting_keeps_comments_and_data_and_is_idempotent(text: str) -> None:
    numbers = count()
    text = re.sub(r"#(?=\n)", lambda _: f"# {next(numbers)}", text)
    before = read("a", text.encode())
    assert not before.problems
    result = style(text)
    assert isinstance(result, str)
    assert style(result) == result
    assert read("a", result.encode()).data == before.data
    comments = re.findall(r"# \d+$", result, re.MULTILINE)
    assert comments == [f"# {number}" for number in range(next(numbers))]


def test_check_and_diff_change_nothing(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(LOOSE)
    checked, shown = penstock("fmt", "--check"), penstock("fmt", "--diff")
    assert (checked.code, shown.code) == (1, 1)
    assert "+  concurrency: 4" in shown.out
    assert spec.read_text() == LOOSE


def test_formatting_keeps_permissions_and_reports_formatted_files(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(LOOSE)
    spec.chmod(0o640)
    penstock("fmt")
    assert (spec.read_text(), spec.stat().st_mode & 0o777) == (FORMATTED, 0o640)
    assert penstock("fmt").out == "all files are formatted\n"
    assert list((repository / "specs").iterdir()) == [spec]


def test_control_characters_in_a_file_name_are_escaped(repository: Path, penstock: Run) -> None:
    (repository / "specs" / "two\nlines.yaml").write_text(LOOSE)
    assert penstock("fmt", "--check").out == "specs/two\\u000alines.yaml: would be formatted\n"
    assert penstock("fmt", "--diff").out.startswith("--- specs/two\\u000alines.yaml\n+++ specs/two\\u000alines.yaml\n")


def test_a_full_disk_keeps_the_old_file_only(repository: Path) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(LOOSE)

    def limit_file_size() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    command = [sys.executable, "-m", "penstock", "fmt"]
    ran = subprocess.run(
        command, cwd=repository, capture_output=True, preexec_fn=limit_file_size, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (
        2,
        (
            "error: `specs/media-cluster.yaml` cannot be written: File too large\n"
            "hint: check its permissions, or use `--diff`\n"
        ),
    )
    assert [(one, one.read_text()) for one in spec.parent.iterdir()] == [(spec, LOOSE)]
