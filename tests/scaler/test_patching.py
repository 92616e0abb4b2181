"""Patches follow RFC 6902, change only a copy of the manifest, and are recorded as the authors of their values."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.patching import PatchedManifest, patched, pointer, steps_of
from penstock_spec.sections import Patch

MANIFEST = {"spec": {"max": 20, "triggers": [{"name": "depth"}, {"name": "parked"}], "a/b": {"~": 1}}}

Op = Literal["add", "replace", "remove"]


def patch(op: Op, path: str, value: object = None) -> Patch:
    return Patch(target="ScaledObject", op=op, path=path, value=value, reason="a trial")


def apply(*patches: Patch) -> PatchedManifest:
    return patched(MANIFEST, patches, "ScaledObject")


@pytest.mark.parametrize(
    ("change", "place", "expected"),
    [
        (patch("replace", "/spec/max", 30), ("spec", "max"), 30),
        (patch("add", "/spec/max", 30), ("spec", "max"), 30),
        (patch("add", "/spec/idle", 0), ("spec", "idle"), 0),
        (patch("remove", "/spec/max"), ("spec",), {key: MANIFEST["spec"][key] for key in ("triggers", "a/b")}),
        (patch("replace", "/spec/a~1b/~0", 2), ("spec", "a/b"), {"~": 2}),
        (patch("add", "/spec/triggers/0", 1), ("spec", "triggers"), [1, {"name": "depth"}, {"name": "parked"}]),
        (patch("add", "/spec/triggers/2", 1), ("spec", "triggers"), [{"name": "depth"}, {"name": "parked"}, 1]),
        (patch("add", "/spec/triggers/-", 1), ("spec", "triggers"), [{"name": "depth"}, {"name": "parked"}, 1]),
        (patch("replace", "/spec/triggers/1", 1), ("spec", "triggers"), [{"name": "depth"}, 1]),
        (patch("remove", "/spec/triggers/0"), ("spec", "triggers"), [{"name": "parked"}]),
        (patch("replace", "/spec/triggers/1/name", "p"), ("spec", "triggers"), [{"name": "depth"}, {"name": "p"}]),
    ],
)
def test_a_patch_follows_rfc_6902(change: Patch, place: tuple[str, ...], expected: object) -> None:
    result = apply(change)
    value: Any = result.manifest
    for step in place:
        value = value[step]
    assert value == expected
    assert result.nowhere == ()


@pytest.mark.parametrize(
    "change",
    [
        patch("replace", "/spec/min", 1),
        patch("remove", "/spec/min"),
        patch("add", "/status/min/max", 1),
        patch("add", "/spec/max/0", 1),
        patch("add", "/spec/triggers/3", 1),
        patch("replace", "/spec/triggers/2", 1),
        patch("replace", "/spec/triggers/-", 1),
        patch("remove", "/spec/triggers/-"),
        patch("replace", "/spec/triggers/01", 1),
        patch("replace", "/spec/triggers/²", 1),
        patch("replace", "/spec/triggers/name", 1),
        patch("replace", "/spec/triggers/9/name", 1),
        patch("replace", "/spec/triggers/" + "9" * 100, 1),
    ],
)
def test_a_patch_of_a_missing_path_is_reported_and_changes_nothing(change: Patch) -> None:
    result = apply(patch("add", "/spec/idle", 0), change)
    assert [one.index for one in result.nowhere] == [1]
    assert result.manifest == {"spec": MANIFEST["spec"] | {"idle": 0}}


def test_patches_of_other_manifests_are_ignored() -> None:
    other = Patch(target="Deployment", op="replace", path="/spec/max", value=1, reason="a trial")
    assert apply(other) == PatchedManifest(MANIFEST)


def test_a_patch_changes_neither_the_manifest_nor_the_values_of_other_patches() -> None:
    """The same spec is checked again in the next environment."""
    first = patch("add", "/spec/new", {"inner": []})
    result = apply(first, patch("add", "/spec/new/inner/-", 1), patch("replace", "/spec/triggers/0/name", "x"))
    assert result.manifest["spec"]["new"] == {"inner": [1]}
    assert first.value == {"inner": []}
    assert MANIFEST["spec"]["triggers"] == [{"name": "depth"}, {"name": "parked"}]


@pytest.mark.parametrize(
    ("patches", "place", "author"),
    [
        ([patch("replace", "/spec/max", 3)], ("spec", "max"), ("patches", 0, "value")),
        ([patch("replace", "/spec/max", 3)], ("spec",), ("patches", 0, "value")),
        ([patch("replace", "/spec/max", 3)], ("spec", "a/b"), None),
        ([patch("add", "/spec/new", {"a": [1]})], ("spec", "new", "a", 0), ("patches", 0, "value", "a", 0)),
        ([patch("remove", "/spec/a~1b")], ("spec", "a/b", "~"), ("patches", 0, "path")),
        ([patch("remove", "/spec/a~1b")], ("spec", "max"), None),
        ([patch("remove", "/spec/a~1b"), patch("add", "/spec/a~1b", 1)], ("spec", "a/b"), ("patches", 1, "value")),
        ([patch("remove", "/spec/triggers/0")], ("spec", "triggers"), ("patches", 0, "path")),
        ([patch("remove", "/spec/triggers/0")], ("spec", "triggers", 0), None),
    ],
)
def test_the_author_of_a_place_is_known(
    patches: list[Patch], place: tuple[str | int, ...], author: tuple[str | int, ...] | None
) -> None:
    """The author is the patch of the value, of a section around it, or the patch that removed it."""
    assert apply(*patches).author(place) == author


@pytest.mark.parametrize(
    ("second", "position"),
    [
        (patch("add", "/spec/triggers/0", {}), 2),
        (patch("add", "/spec/triggers/-", {}), 1),
        (patch("remove", "/spec/triggers/0"), 0),
    ],
)
def test_the_author_of_a_list_item_follows_its_position(second: Patch, position: int) -> None:
    result = apply(patch("replace", "/spec/triggers/1/name", "p"), second)
    assert result.manifest["spec"]["triggers"][position]["name"] == "p"
    assert result.author(("spec", "triggers", position, "name")) == ("patches", 0, "value")


@given(st.lists(st.text(), min_size=1))
def test_a_pointer_and_its_steps_convert_both_ways(steps: list[str]) -> None:
    assert steps_of(pointer(tuple(steps))) == tuple(steps)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 40) | st.sampled_from(["", "0", "x", "redis-streams"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "0", "max", "name"]), inner),
    max_leaves=6,
)
STEPS = st.lists(st.sampled_from(["spec", "max", "triggers", "0", "1", "-", "name", "a"]), min_size=1, max_size=4)


@given(
    st.lists(
        st.builds(
            patch, st.sampled_from(["add", "replace", "remove"]), STEPS.map(lambda steps: pointer(tuple(steps))), JSON
        )
    )
)
def test_every_value_of_a_patch_is_at_its_recorded_place(patches: list[Patch]) -> None:
    """A patch's value is at the recorded place, unless a later patch changed a part of it."""
    result = apply(*patches)
    for place, (_, index, *_) in result.written.items():
        value: Any = result.manifest
        for step in place:
            value = value[step]
        inside = [where for where in (*result.written, *result.removed) if where[: len(place)] == place]
        assert len(inside) > 1 or value == patches[int(index)].value
