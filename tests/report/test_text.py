"""Carets stand under the value, and text from files cannot control the terminal."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.findings import Finding, LintResult, Span
from penstock_spec.report import text
from penstock_spec.report.safe import head, safe, tail, width

MakeFinding = Callable[..., Finding]
MakeResult = Callable[..., LintResult]
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
        pytest.param("a: \x1b[31m", "\x1b[31m", r"a: \u001b[31m", 3, 10, id="colour code"),
        pytest.param("a\x00b: 1", "1", r"a\u0000b: 1", 10, 1, id="nul"),
        pytest.param("a\u00a0b: 1", "1", r"a\u00a0b: 1", 10, 1, id="no-break space"),
        pytest.param("a\u3164b: 1", "1", r"a\u3164b: 1", 10, 1, id="invisible letter"),
        pytest.param("a\U000e0041b: 1", "1", r"a\U000e0041b: 1", 14, 1, id="tag character"),
        pytest.param("a\ud800b: 1", "1", r"a\ud800b: 1", 10, 1, id="lone surrogate"),
        pytest.param("a: 1\r", "1", r"a: 1\u000d", 3, 1, id="carriage return"),
    ],
)
def test_carets_count_terminal_columns(line: str, marked: str, shown: str, before: int, carets: int) -> None:
    """Before the marked part and under it."""
    column = line.index(marked) + 1
    assert text.excerpt(line, column, column + len(marked)) == (shown, before, carets)


def test_a_value_over_several_lines_is_marked_to_the_end_of_its_line(
    make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """Not to the column in another line, and without trailing spaces."""
    output = text.render(make_result(make_finding(Span(FILE, 1, 7, 3, 2)), lines=("work: {  ", "  timeout: 1", "}")))
    assert output.splitlines()[3:5] == ["1 | work: {", "  |       ^ work.timeout is 60s (line 2)"]


def test_an_empty_place_gets_one_caret() -> None:
    """A missing value has a caret too, also after the end of the line."""
    assert text.excerpt("work:", 6, 6) == ("work:", 5, 1)
    assert text.excerpt("work:", 9, 10) == ("work:", 5, 1)


@pytest.mark.parametrize("marked", ["v", "v" * 30, "v" * 300, "値" * 300])
@pytest.mark.parametrize("before", [0, 100, 150, 158, 1000])
@pytest.mark.parametrize("after", [0, 5, 1000])
def test_a_long_line_is_shown_around_the_caret(marked: str, before: int, after: int) -> None:
    """It fits, the carets are under the marked part, and dots replace omitted text."""
    shown, left, carets = text.excerpt("b" * before + marked + "a" * after, before + 1, before + 1 + len(marked))
    assert width(shown) <= text.LONGEST_LINE
    assert width(tail(shown, width(shown) - left)) == width(shown) - left
    above_carets = shown[left:].rstrip("a.")
    assert above_carets
    assert set(above_carets) == {marked[0]}
    assert carets == width(above_carets)
    assert ("..." in shown) is (before + width(marked) + after > text.LONGEST_LINE)


@pytest.mark.parametrize(
    "at",
    [
        pytest.param(Span(FILE, 0, 0, 0, 0), id="no line"),
        pytest.param(Span(FILE, 1, 0, 1, 0), id="no column"),
        pytest.param(Span(FILE, 99, 1, 99, 2), id="missing line"),
        pytest.param(Span("specs/gone.yaml", 1, 1, 1, 1), id="missing file"),
    ],
)
def test_a_finding_without_a_line_has_no_excerpt(at: Span, make_result: MakeResult, make_finding: MakeFinding) -> None:
    """It has all its texts."""
    lines = text.render(make_result(make_finding(at))).splitlines()
    assert [line.strip() for line in lines[2:5]] == ["|", "| work.timeout is 60s (line 2)", "|"]
    assert not any("^" in line or "kind: pipeline" in line for line in lines)
    assert ("0" in lines[1]) is False


def test_colours_change_no_text(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Without its styles, a coloured report is the plain one."""
    result = make_result(make_finding(), make_finding(environments=("dev",)))
    styles = set()

    def paint(words: str, style: str) -> str:
        styles.add(style)
        return f"\x1b[{words}\x1b]"

    assert text.render(result, paint).replace("\x1b[", "").replace("\x1b]", "") == text.render(result)
    assert styles == {"error", "bold", "rule"}


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ([], "no findings in 1 spec"),
        (["yaml-tag"], "1 error in 1 spec"),
        (["yaml-tag", "yaml-tag", "suppression-unused"], "2 errors and 1 warning in 1 spec"),
    ],
)
def test_the_summary_counts_by_severity(
    rules: list[str], says: str, make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """Errors first, in plain words."""
    assert text.summary(make_result(*(make_finding(rule=rule) for rule in rules))) == says


@given(st.text(st.characters(), max_size=40))
def test_safe_text_is_visible(words: str) -> None:
    """No character is hidden or moves the cursor, and safe text stays unchanged."""
    shown = safe(words)
    assert all(one == " " or unicodedata.category(one)[0] not in "CZ" for one in shown)
    assert safe(shown) == shown
    assert width(shown) <= 2 * len(shown)


@given(st.text(max_size=40), st.integers(0, 60))
def test_a_cut_text_fits_and_is_as_long_as_possible(words: str, columns: int) -> None:
    """Both ends keep whole characters and waste at most one column, for a wide character."""
    shown = safe(words)
    for part in (head(shown, columns), tail(shown, columns)):
        assert part in shown
        assert width(part) <= columns
        assert width(part) >= min(columns - 1, width(shown))


@given(st.text(st.characters(exclude_characters="\r\n"), max_size=300), st.integers(1, 300), st.integers(0, 300))
def test_any_line_can_be_shown(line: str, column: int, length: int) -> None:
    """The excerpt fits, with a caret inside it or right after it."""
    shown, before, carets = text.excerpt(line, column, column + length)
    assert width(shown) <= text.LONGEST_LINE
    assert carets >= 1
    assert before + carets <= width(shown) + 1
