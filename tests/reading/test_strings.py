"""Each string type accepts valid texts, and refuses others with a valid hint."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from penstock_spec.values import strings

ACCEPTED = {
    "Name": ["a", "0", "media-cluster", "a" * 54],
    "Namespace": ["media", "a" * 63],
    "Text": ["#media-oncall", "Zoë, 東京", "x" * 500],
    "Field_": ["job_id", "x" * 200],
    "Handler": ["a:b", "media.jobs:handle", "media.jobs:Jobs.handle", "_a:_b"],
    "Image": [
        "a:1",
        "registry.example/media:1.4.2",
        "localhost:5000/a/b_c:v1",
        "a@sha256:" + "0" * 64,
        "a:latest@sha256:" + "0" * 64,
    ],
    "Key": ["a", "streams:media.cluster", "jobs:{media}", "k" * 512],
    "Group": ["media-workers", "media:workers"],
    "Consumer": ["{hostname}", "media-{hostname}", "one"],
    "Date": ["2027-01-31", "2028-02-29"],
    "Url": ["http://127.0.0.1:15020/quit", "https://runbooks.example"],
    "Pointer": ["/spec", "/a~1b/0", "/"],
    "File": ["job.json", "schemas/job.json"],
}
REFUSED = {
    "Name": ["", "-a", "a-", "A", "a.b", "a_b", "a" * 55, "a\n", "é"],
    "Namespace": ["a" * 64, "A"],
    "Text": ["", " ", "a\nb", "a\x1b[31m", "\u202eb", "x" * 501],
    "Field_": ["", "x" * 201],
    "Handler": ["", "media", "media.jobs", "media:", ":handle", "a/b:c", "a:b:c", "1a:b", "a:b\n"],
    "Image": ["", "a", "a:latest", "a:", "A:1", "a b:1", "a:1@sha256:x", "a:-1", "a:1\n"],
    "Key": ["", " ", "a b", "a\n", "{", "{}", "{a}{b}", "}a{", "k" * 513],
    "Group": ["", "~a", "{a}", "a b"],
    "Consumer": ["", "~a", "{pod}", "{", "{hostname", "a b"],
    "Date": ["", "2027-1-1", "2027-02-30", "31.01.2027", "20270131", "tomorrow"],
    "Url": ["", "localhost", "//a", "ftp://a", "http://", "http://[a", "http://a b"],
    "Pointer": ["", "spec", "/a~b", "/a\n"],
    "File": ["", "/etc/passwd", "../job.json", "a/../../b", "a\\b", "a\n", "x" * 201],
}


def adapter(kind: str) -> TypeAdapter[object]:
    return TypeAdapter(getattr(strings, kind))


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in ACCEPTED.items() for word in words])
def test_a_valid_string_is_kept(kind: str, word: str) -> None:
    """It is not normalized."""
    assert str(adapter(kind).validate_python(word)) == word


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in REFUSED.items() for word in words])
def test_an_invalid_string_is_refused_by_a_rule(kind: str, word: str) -> None:
    """With a message and a hint; a suggestion in the hint is valid."""
    with pytest.raises(ValidationError) as refused:
        adapter(kind).validate_python(word)
    [error] = refused.value.errors()
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", error["type"])
    hint = error["ctx"]["hint"]
    assert hint
    if suggestion := re.fullmatch(r"write(?: it such as)? `([^`]+)`", hint):
        adapter(kind).validate_python(suggestion[1])


@pytest.mark.parametrize(
    ("kind", "word", "better"),
    [
        ("Name", "Media_Cluster", "media-cluster"),
        ("Name", "media.cluster", "media-cluster"),
        ("Handler", "media.jobs.handle", "media.jobs:handle"),
        ("Handler", "media/jobs.py:handle", "media.jobs:handle"),
        ("Image", "Registry.example/Media:1", "registry.example/media:1"),
    ],
)
def test_a_hint_suggests_a_correction_if_it_can(kind: str, word: str, better: str) -> None:
    """If the correction follows from the value."""
    with pytest.raises(ValidationError) as refused:
        adapter(kind).validate_python(word)
    assert refused.value.errors()[0]["ctx"]["hint"] == f"write `{better}`"


@given(st.sampled_from(sorted(ACCEPTED)), st.text())
def test_any_string_is_accepted_or_refused(kind: str, word: str) -> None:
    """It never fails with another exception, and no message has control characters."""
    try:
        adapter(kind).validate_python(word)
    except ValidationError as refused:
        [error] = refused.errors()
        assert "-" in error["type"]
        assert not strings.CONTROL.search(error["msg"] + error["ctx"]["hint"])
