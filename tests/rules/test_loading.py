"""Example files that would prove nothing are refused when they are read."""

import pytest

from penstock_spec.examples import SPEC, complete, parse

FAILS = '{spec: "work: 1", at: "1:1", says: a, hint: b}'
PASSES = '{spec: "work: {}"}'


def examples(fails: str = f"[{FAILS}]", passes: str = f"[{PASSES}]") -> bytes:
    return f"fails: {fails}\npasses: {passes}\n".encode()


def test_an_example_file_is_read() -> None:
    """A place without a file name is in the spec."""
    read = parse("example.yaml", examples())
    assert read.fails[0].place == f"{SPEC}:1:1"
    assert read.fails[0].names() == (SPEC,)


@pytest.mark.parametrize(
    ("at", "place"),
    [
        ("2:19", "specs/example.yaml:2:19"),
        ("a.yaml:2:3", "specs/a.yaml:2:3"),
        ("penstock.yaml:3:5", "penstock.yaml:3:5"),
    ],
)
def test_a_place_may_name_a_file(at: str, place: str) -> None:
    """The file is another spec of the example, or the platform file."""
    read = parse("example.yaml", examples(fails=f"[{FAILS.replace('1:1', at)}]"))
    assert read.fails[0].place == place


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="an empty file"),
        pytest.param(f"fails: [{FAILS}]\n".encode(), id="none that passes"),
        pytest.param(f"passes: [{PASSES}]\n".encode(), id="none that fails"),
        pytest.param(examples(fails="[]"), id="an empty list of fails"),
        pytest.param(examples(passes="[]"), id="an empty list of passes"),
        pytest.param(examples(fails=FAILS), id="no list"),
        pytest.param(examples() + b"passed: []\n", id="an unknown key"),
        pytest.param(examples(fails=f"[{FAILS[:-1]}, an: d}}]"), id="an unknown key in an example"),
        pytest.param(examples(passes=f'[{PASSES[:-1]}, at: "1:1"}}]'), id="a place in a passing example"),
        pytest.param(examples(fails='[{spec: "a: 1", says: a, hint: b}]'), id="no place"),
        pytest.param(examples(fails='[{spec: "a: 1", at: "1:1", hint: b}]'), id="no message"),
        pytest.param(examples(fails='[{spec: "a: 1", at: "1:1", says: a}]'), id="no hint"),
        pytest.param(examples(fails='[{at: "1:1", says: a, hint: b}]'), id="no spec"),
        pytest.param(examples(passes='[{spec: "a: 1", file: "a: 1"}]'), id="a spec and a file"),
        pytest.param(examples() + b"passes: []\n", id="a duplicate key"),
    ],
)
def test_incomplete_examples_are_refused(raw: bytes) -> None:
    """Lists must not be empty, keys must be known, and expectations must be complete."""
    with pytest.raises(ValueError, match=r".+"):
        parse("example.yaml", raw)


def test_required_fields_are_added_below_a_snippet() -> None:
    """Fields of the snippet keep their lines and are not repeated."""
    assert complete("work: {timeout: 1m}\nname: other", "example").splitlines() == [
        "work: {timeout: 1m}",
        "name: other",
        "kind: pipeline",
        "owner: {team: media}",
        "handler: media.jobs:handle",
        "image: registry.example/media:1.0.0",
    ]
