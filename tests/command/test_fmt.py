"""`penstock fmt` changes the style and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock_spec.formatting import Refused, formatted
from penstock_spec.reading import read
from penstock_spec.repository import File

Run = Callable[..., Any]

LOOSE = """\
# whose it is
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
TIDY = """\
# whose it is
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


def style(text: str | bytes) -> str | Refused:
    raw = text.encode() if isinstance(text, str) else text
    return formatted(File(Path("spec.yaml"), "spec.yaml", raw))


def test_one_style() -> None:
    assert style(LOOSE) == TIDY


def test_what_is_in_style_stays_as_it_is() -> None:
    assert style(TIDY) == TIDY


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_and_the_byte_order_mark_are_put_right(ends: str) -> None:
    assert style(b"\xef\xbb\xbf" + LOOSE.replace("\n", ends).encode()) == TIDY


def test_values_keep_how_they_are_written() -> None:
    text = "a: 1.30\nb: 0x10\nc: 1m30s\nd: \"12\"\ne: yes\nf: 'it''s'\ng: ~\nh: |\n  line\n   line\ni: 1e3\n"
    result = style(text)
    assert isinstance(result, str)
    before, after = read("a", text.encode()).data, read("a", result.encode()).data
    assert [str(value) for value in before.values()] == [str(value) for value in after.values()]


@pytest.mark.parametrize("text", ["a: [1\n", "a: 1\na: 2\n", "a: &x 1\n", "", "- \t- a\n\t- b\n"])
def test_what_cannot_be_read_is_left_alone(text: str) -> None:
    assert isinstance(style(text), Refused)


def test_a_comment_that_would_be_lost_leaves_the_file_alone() -> None:
    text = "a: {b: 1, # first\n    c: 2}\n"
    result = style(text)
    assert isinstance(result, Refused) or "# first" in result


def test_check_and_diff_change_nothing(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(LOOSE)
    checked, shown = penstock("fmt", "--check"), penstock("fmt", "--diff")
    assert (checked.code, shown.code) == (1, 1)
    assert "+  concurrency: 4" in shown.out
    assert spec.read_text() == LOOSE


def test_formatting_is_done_once_and_permissions_stay(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(LOOSE)
    spec.chmod(0o640)
    penstock("fmt")
    assert (spec.read_text(), spec.stat().st_mode & 0o777) == (TIDY, 0o640)
    assert penstock("fmt").out == "everything is in style\n"
    assert list((repository / "specs").iterdir()) == [spec]
