"""The reference parser gives the same values, places and problems for every text that the fast parser accepts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

Differences = Callable[[str], list[str]]

HERE = Path(__file__).parent
TEXTS = [path.read_text() for path in sorted([HERE / "design.yaml", *HERE.parents[1].glob("specs/*.yaml")])]
LINES = sorted({line for text in TEXTS for line in text.splitlines(keepends=True)})

# Words that have a meaning in YAML, and words that only look like it. `·` separates them, `¶` is a line break.
WORDS = "a·b:·c: ·k: v·x#y·x:y·x: y·a: b: c·-1·- -·1.30·0x1f·0o7·1e3·~·null·true·no·12:30·2027-01-31·.inf·.nan·1_000"
SIGNS = ":·-·?·,·[·]·{·}·#·&·*·!·|·>·'·\"·%·@·`·---·...·<<· ·  ·: ·- ·? ·, · #·\\·?a·:a·-a·%a·@a·é·\u00a0·日本"
BREAKS = "¶·¶¶·¶  ·¶    ·¶- ·¶? ·¶: ·¶  - ·¶# c¶· #c¶·¶---¶·¶...¶·:¶·-¶·|¶·>¶·|-¶·>+¶·|2¶ ·>2-¶·\\¶"
QUOTES = '\'\'·""·\'a\'\'b\'·"a\\tb"·\\n·\'a¶  b\'·"a¶¶  b"·"a\\¶  b"·"\\u00e9"'
FLOWS = '{a: 1}·[a, b]·{a, b: }·[a: b]·{a: [b·]}·{"a":1}·{a:1}·[a:b]·<<: ·= '
MARKS = "&a ·*a·!t ·!!str ·!<x> "
PIECES = st.sampled_from(f"{WORDS}·{SIGNS}·{BREAKS}·{QUOTES}·{FLOWS}·{MARKS}".replace("¶", "\n").split("·"))
PLAIN = st.text(st.sampled_from("ab1 :#-?,[]{}&*!|>'\"%@`~.é\\"), min_size=1, max_size=12)
GAP = st.sampled_from(["", " ", "  ", "   "])
BREAK = st.sampled_from(
    ["\n", "\n", "\n", " \n", "\n\n", " # a comment\n", "\n# between\n", "\n   # indented\n", "\n  \n"]
)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def double(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


SCALAR = st.one_of(
    PLAIN, PIECES, PLAIN.map(quoted), PLAIN.map(double), st.sampled_from(["", "a b", "30s", "a\n      b"])
)


def flow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    between = st.sampled_from([",", ", ", " ,", ",\n ", " , # c\n   "])
    pair = st.builds(
        lambda key, gap, value: f"{key}{gap}{value}", SCALAR, st.sampled_from([": ", ":", " : ", ":\n   "]), inner
    )
    many = st.lists(st.one_of(inner, pair), max_size=4)
    joined = st.builds(
        lambda items, by, last: by.join(items) + last, many, between, st.sampled_from(["", " ", ",", "\n "])
    )
    return st.one_of(joined.map(lambda text: f"[{text}]"), joined.map(lambda text: f"{{{text}}}"))


@st.composite
def block(draw: st.DrawFn, depth: int = 0) -> str:
    """A block collection whose lines mostly have one indentation."""
    indent = " " * draw(st.sampled_from([2, 2, 2, 1, 4, 0])) * bool(depth)
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        key = draw(
            st.sampled_from(
                ["{}:{}", "{}:{}", "{}:{}", "- {}{}", "-{}{}", "? {}\n:{}", "? {}{}", "{} :{}", "-   {}:{}"]
            )
        )
        value = " " + draw(st.one_of(SCALAR, SCALAR, flow(SCALAR), flow(flow(SCALAR)), scalar_block()))
        if depth < 3 and draw(st.booleans()):
            value = draw(BREAK) + draw(block(depth + 1))
        lines.append(key.format(draw(st.one_of(st.sampled_from(["a", "b", "work"]), SCALAR)), value) + draw(BREAK))
    text = "".join(lines)
    return "".join(indent + line for line in text.splitlines(keepends=True))


@st.composite
def scalar_block(draw: st.DrawFn) -> str:
    head = draw(st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|+2", "| # c", "&a |", "!t >"]))
    lines = draw(
        st.lists(st.sampled_from(["  a", "   b: c", "  # no comment", "", " ", "    ", "  - a", " a", "a"]), max_size=5)
    )
    return "\n".join([head, *lines])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A few consecutive lines of a real spec, changed in a few places."""
    lines = draw(st.sampled_from(TEXTS)).splitlines(keepends=True)
    start = draw(st.integers(0, len(lines) - 1))
    text = "".join(lines[start : start + draw(st.integers(1, 12))])
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(text)))
        how = draw(st.sampled_from(["put", "put", "drop", "join", "line", "indent", "twice"]))
        if how == "put":
            text = text[:at] + draw(PIECES) + text[at:]
        elif how == "drop":
            text = text[:at] + text[at + draw(st.integers(1, 4)) :]
        elif how == "join":
            text = text[:at] + text[at:].replace("\n", draw(st.sampled_from(["", " ", " \n"])), 1)
        elif how == "line":
            text = text[:at] + draw(st.sampled_from(LINES)) + text[at:]
        elif how == "indent":
            text = text[:at] + text[at:].replace("\n", "\n" + draw(st.sampled_from([" ", "  ", "- ", "# "])), 1)
        else:
            text = text[:at] + text[max(0, at - 5) : at] + text[at:]
    return text


# Texts that the parsers once read differently; now the reference parser reads them.
ONCE_DIFFERENT = [
    "a: >#",
    "a: |-#",
    "? |#",
    """a: ["b":]""",
    """a: ['b':1]""",
    "a: [{} :1]",
    "a: [[]:,]",
    "a: >\n \n  ",
    "a: |\n\n \n  \n",
    "a:\n...\n...",
    "? |\n...\n...",
    "|\n...",
    "---",
    "--- \n# a comment",
    "*a:",
    "{*a:}",
    "a: &b:",
    "! &a",
    "!.!",
    "{!,}",
    'a: "\\ud800"',
]


@settings(max_examples=300)
@given(text=st.one_of(block(), st.lists(PIECES, max_size=14).map("".join), mutated()))
def test_generated_and_mutated_texts_are_read_equally(differences: Differences, text: str) -> None:
    assert not differences(text)


@pytest.mark.parametrize("text", ONCE_DIFFERENT)
def test_previous_differences_are_read_equally(differences: Differences, text: str) -> None:
    assert not differences(text)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_real_specs_are_read_equally(differences: Differences, text: str) -> None:
    assert not differences(text)
