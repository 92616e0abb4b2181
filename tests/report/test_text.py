"""The caret is under the value, and text from files cannot control the terminal."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.findings import Finding, LintResult, Span
from penstock_spec.report import text
from penstock_spec.report.safe import head, safe, tail, width

Find = Callable[..., Finding]
Make = Callable[..., LintResult]
FILE = "specs/media.yaml"


@pytest.mark.parametrize(
    ("line", "marked", "shown", "before", "carets"),
    [
        pytest.param("grace: 30s", "30s", "grace: 30s", 7, 3, id="plain"),
        pytest.param("\tgrace:\t30s", "30s", " grace: 30s", 8, 3, id="tabs"),
        pytest.param("漢字: 値", "値", "漢字: 値", 6, 2, id="wide"),
        pytest.param("\uff46\uff4c: 1", "1", "\uff46\uff4c: 1", 6, 1, id="full width"),
        pytest.param("cafe\u0301: 1", "1", "cafe\u0301: 1", 6, 1, id="combining"),
        pytest.param("a: e\u0301\u0302", "e\u0301\u0302", "a: e\u0301\u0302", 3, 1, id="combining twice"),
        pytest.param("\u0e19\u0e49\u0e33: 1", "1", "\u0e19\u0e49\u0e33: 1", 4, 1, id="marks without a class"),
        pytest.param("\u1112\u1161\u11ab: 1", "1", "\u1112\u1161\u11ab: 1", 4, 1, id="hangul in parts"),
        pytest.param("🙂: 1", "1", "🙂: 1", 4, 1, id="emoji"),
        pytest.param("👩\u200d🚀: 1", "1", r"👩\u200d🚀: 1", 12, 1, id="emoji joined"),
        pytest.param("שלום: 1", "1", "שלום: 1", 6, 1, id="right to left"),
        pytest.param("a\u202eb: 1", "1", r"a\u202eb: 1", 10, 1, id="reordering"),
        pytest.param("a: \x1b[31m", "\x1b[31m", r"a: \u001b[31m", 3, 10, id="a colour"),
        pytest.param("a\x00b: 1", "1", r"a\u0000b: 1", 10, 1, id="nul"),
        pytest.param("a\u00a0b: 1", "1", r"a\u00a0b: 1", 10, 1, id="a space that is none"),
        pytest.param("a\u3164b: 1", "1", r"a\u3164b: 1", 10, 1, id="a letter that is not seen"),
        pytest.param("a\U000e0041b: 1", "1", r"a\U000e0041b: 1", 14, 1, id="a tag"),
        pytest.param("a\ud800b: 1", "1", r"a\ud800b: 1", 10, 1, id="half a character"),
        pytest.param("a: 1\r", "1", r"a: 1\u000d", 3, 1, id="carriage return"),
    ],
)
def test_carets_count_terminal_columns(line: str, marked: str, shown: str, before: int, carets: int) -> None:
    """Before the marked part and under it."""
    column = line.index(marked) + 1
    assert text.excerpt(line, column, column + len(marked)) == (shown, before, carets)


def test_a_value_over_several_lines_is_marked_to_the_end_of_its_line(outcome: Make, find: Find) -> None:
    """Not to the column in another line, and without trailing spaces."""
    told = text.render(outcome(find(Span(FILE, 1, 7, 3, 2)), lines=("work: {  ", "  timeout: 1", "}")))
    assert told.splitlines()[3:5] == ["1 | work: {", "  |       ^ work.timeout is 60s (line 2)"]


def test_an_empty_place_gets_one_caret() -> None:
    """A missing value has a caret too, also after the end of the line."""
    assert text.excerpt("work:", 6, 6) == ("work:", 5, 1)
    assert text.excerpt("work:", 9, 10) == ("work:", 5, 1)


@pytest.mark.parametrize("marked", ["v", "v" * 30, "v" * 300, "値" * 300])
@pytest.mark.parametrize("before", [0, 100, 150, 158, 1000])
@pytest.mark.parametrize("behind", [0, 5, 1000])
def test_a_long_line_is_shown_around_the_caret(marked: str, before: int, behind: int) -> None:
    """It fits, the carets are under the marked part, and dots replace omitted text."""
    shown, left, carets = text.excerpt("b" * before + marked + "a" * behind, before + 1, before + 1 + len(marked))
    assert width(shown) <= text.LONGEST_LINE
    assert width(tail(shown, width(shown) - left)) == width(shown) - left
    seen = shown[left:].rstrip("a.")
    assert seen
    assert set(seen) == {marked[0]}
    assert carets == width(seen)
    assert ("..." in shown) is (before + width(marked) + behind > text.LONGEST_LINE)


@pytest.mark.parametrize(
    "at",
    [
        pytest.param(Span(FILE, 0, 0, 0, 0), id="no line"),
        pytest.param(Span(FILE, 1, 0, 1, 0), id="no column"),
        pytest.param(Span(FILE, 99, 1, 99, 2), id="a line that is not there"),
        pytest.param(Span("specs/gone.yaml", 1, 1, 1, 1), id="a file that is not there"),
    ],
)
def test_a_finding_without_a_line_has_no_excerpt(at: Span, outcome: Make, find: Find) -> None:
    """But all its texts."""
    lines = text.render(outcome(find(at))).splitlines()
    assert [line.strip() for line in lines[2:5]] == ["|", "| work.timeout is 60s (line 2)", "|"]
    assert not any("^" in line or "kind: pipeline" in line for line in lines)
    assert ("0" in lines[1]) is False


def test_colours_change_no_text(outcome: Make, find: Find) -> None:
    """Without its styles, a coloured report is the plain one."""
    made = outcome(find(), find(environments=("dev",)))
    styles = set()

    def paint(words: str, style: str) -> str:
        styles.add(style)
        return f"\x1b[{words}\x1b]"

    assert text.render(made, paint).replace("\x1b[", "").replace("\x1b]", "") == text.render(made)
    assert styles == {"error", "bold", "rule"}


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ([], "no findings in 1 spec"),
        (["yaml-tag"], "1 error in 1 spec"),
        (["yaml-tag", "yaml-tag", "suppression-unused"], "2 errors and 1 warning in 1 spec"),
    ],
)
def test_the_summary_counts_by_severity(rules: list[str], says: str, outcome: Make, find: Find) -> None:
    """In plain words."""
    assert text.summary(outcome(*(find(rule=rule) for rule in rules))) == says


@given(st.text(st.characters(), max_size=40))
def test_safe_text_is_visible(words: str) -> None:
    """Nothing hides or moves the cursor, and safe text stays unchanged."""
    told = safe(words)
    assert all(one == " " or unicodedata.category(one)[0] not in "CZ" for one in told)
    assert safe(told) == told
    assert width(told) <= 2 * len(told)


@given(st.text(max_size=40), st.integers(0, 60))
def test_a_cut_text_fits_and_is_as_long_as_possible(words: str, columns: int) -> None:
    """Both ends keep whole characters and waste at most one column, for a wide character."""
    told = safe(words)
    for part in (head(told, columns), tail(told, columns)):
        assert part in told
        assert width(part) <= columns
        assert width(part) >= min(columns - 1, width(told))


@given(st.text(st.characters(exclude_characters="\r\n"), max_size=300), st.integers(1, 300), st.integers(0, 300))
def test_any_line_can_be_shown(line: str, column: int, length: int) -> None:
    """The excerpt fits, with a caret inside it or right after it."""
    shown, before, carets = text.excerpt(line, column, column + length)
    assert width(shown) <= text.LONGEST_LINE
    assert carets >= 1
    assert before + carets <= width(shown) + 1
