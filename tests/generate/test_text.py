"""Every parser reads a written text unchanged."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from penstock_generate.rendering.yaml_text import block, document, scalar

AWKWARD = [
    *("", "~", "yes", "On", "null", "0", "1_000", "0o17", "1e3", "12:30:00", "2026-01-01", "=", "<<", "%YAML"),
    *("- a", "a: b", "a #b", "---", "...", "!!int 3", "&a", "*a", "|", ">", "'", '"', "\n", " a", "a "),
    *("{{ .Values.x }}", "{% raw %}", "\u2028", "\x7f", "\U0001f600"),
]
TEXTS = st.text() | st.sampled_from(AWKWARD)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def readings(text: str) -> list[Any]:
    return [yaml.load(text, yaml.CSafeLoader), YAML(typ="safe", pure=True).load(text)]


def utf8(value: object) -> bool:
    """Surrogates cannot be written to a file; no spec has one."""
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return "\\ud" not in repr(value)


@given(TEXTS.filter(utf8))
def test_a_text_is_read_as_itself(text: str) -> None:
    assert readings(f"a: {scalar(text)}\n") == [{"a": text}] * 2


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3).filter(utf8))
def test_a_document_is_read_as_itself(value: dict[str, Any]) -> None:
    assert readings(document(value)) == [value] * 2
    assert readings(f"- a:\n    b:{block(value, 6)}\n    c: 1\n") == [[{"a": {"b": value, "c": 1}}]] * 2


@pytest.mark.parametrize("text", ["media-cluster", "streams.media", "apps/v1", "IfNotPresent", "a b"])
def test_plain_text_is_not_quoted(text: str) -> None:
    assert scalar(text) == text
