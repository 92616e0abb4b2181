"""The most specific file sets a value, and Penstock knows its source and place."""

import pytest

from penstock_spec.kinds import kinds
from penstock_spec.layers import Layers, Source, layered
from penstock_spec.reading import Path, read

PIPELINE = kinds()["pipeline"]

# The most specific place has 1s, the next 2s, and so on.
PLACES = [
    (Source.ENVIRONMENT, "1s", "spec.yaml:3:23"),
    (Source.SPEC, "2s", "spec.yaml:2:17"),
    (Source.PLATFORM, "3s", "penstock.yaml:3:35"),
    (Source.PLATFORM, "4s", "penstock.yaml:1:26"),
]


def layers(spec: str, platform: str = "", environment: str = "dev") -> Layers:
    return layered(PIPELINE, read("spec.yaml", spec.encode()), read("penstock.yaml", platform.encode()), environment)


def value(resolved: Layers, path: Path) -> object:
    data: object = resolved.data
    for step in path:
        data = data.get(step) if isinstance(data, dict) and isinstance(step, str) else None
    return data


@pytest.mark.parametrize("first", range(len(PLACES) + 1))
def test_the_most_specific_source_wins(first: int) -> None:
    """The environment of the spec, the spec, the environment of the platform file, the platform file, the default."""
    overrides = [f"{{work.timeout: {text}}}" if rank >= first else "{}" for rank, (_, text, _) in enumerate(PLACES)]
    work = "{timeout: 2s}" if first <= 1 else "{}"
    spec = f"name: a\nwork: {work}\nenvironments: {{dev: {overrides[0]}}}\n"
    platform = f"defaults: {overrides[3]}\nenvironments:\n  dev: {{defaults: {overrides[2]}}}\n"
    resolved = layers(spec, platform)
    path = ("work", "timeout")

    if first == len(PLACES):
        assert (resolved.source(path), value(resolved, path)) == (Source.DEFAULT, None)
        return
    source, text, _ = PLACES[first]
    assert (resolved.source(path), value(resolved, path)) == (source, text)
    at = resolved.at(path)
    lines = {"spec.yaml": spec, "penstock.yaml": platform}[at.file].splitlines()
    assert lines[at.line - 1][at.column - 1 : at.end_column - 1] == text


def test_a_derived_value_depends_on_other_fields() -> None:
    """By default the stream's key follows from the name, and the key of dead letters from the stream's key."""
    derived = layers("name: a\n")
    assert value(derived, ("stream", "key")) == "streams:a"
    assert derived.source(("stream", "key")) is Source.DERIVED
    assert str(derived.at(("stream", "key"))) == "spec.yaml:1:1"

    chosen = layers("name: a\n", "defaults: {stream.key: other}\n")
    assert chosen.source(("stream", "key")) is Source.PLATFORM
    assert value(chosen, ("dead_letter", "key")) == "{other}:a:dead"


@pytest.mark.parametrize(
    "overrides",
    [
        "{scaling.boost: {when_older_than: 40s}, scaling.boost.factor: 3}",
        "{scaling.boost.factor: 3, scaling.boost: {when_older_than: 40s}}",
    ],
)
def test_the_order_of_overrides_does_not_matter(overrides: str) -> None:
    """An overridden section does not overwrite an overridden field of it."""
    resolved = layers(f"name: a\nscaling: {{boost: {{most: 5}}}}\nenvironments: {{dev: {overrides}}}\n")
    assert value(resolved, ("scaling", "boost")) == {"when_older_than": "40s", "factor": 3}
    assert resolved.source(("scaling", "boost", "most")) is Source.DEFAULT
    assert resolved.source(("scaling", "boost", "when_older_than")) is Source.ENVIRONMENT
    assert str(resolved.at(("scaling", "boost", "factor"))).startswith("spec.yaml:3:")


@pytest.mark.parametrize("platform", ["", "defaults: {work: {block: 9s}}\n"])
def test_a_section_that_always_exists_is_never_replaced(platform: str) -> None:
    """Otherwise fields of the spec would be lost silently."""
    resolved = layers("name: a\nwork: {block: 2s}\nenvironments: {dev: {work: {lease: 40s}}}\n", platform)
    assert resolved.data["work"] == {"block": "2s"}


def test_a_section_of_overrides_alone_is_marked_at_one_of_them() -> None:
    """A missing field of it is marked there too."""
    resolved = layers("name: a\nenvironments: {dev: {retries.classes.never.attempts: 1}}\n")
    assert str(resolved.at(("retries", "classes", "never", "match"))) == "spec.yaml:2:22"


def test_an_override_affects_only_its_environment() -> None:
    """Other environments and the document stay unchanged."""
    document = read("spec.yaml", b"name: a\nwork: {timeout: 2s}\nenvironments: {dev: {work.timeout: 1s}}\n")
    platform = read("penstock.yaml", b"kind: platform\n")
    assert layered(PIPELINE, document, platform, "dev").data["work"] == {"timeout": "1s"}
    assert layered(PIPELINE, document, platform, "production").data["work"] == {"timeout": "2s"}
    assert document.data["work"] == {"timeout": "2s"}


@pytest.mark.parametrize("path", ["name", "kind", "suppress", "nowhere", "work.nothing"])
def test_fixed_fields_cannot_be_overridden(path: str) -> None:
    """Another check reports them."""
    resolved = layers(f"name: a\nenvironments: {{dev: {{{path}: b}}}}\n", f"defaults: {{{path}: b}}\n")
    assert resolved.data["name"] == "a"
    assert not {overlay.source for overlay in resolved.overlays} & {Source.ENVIRONMENT, Source.PLATFORM}


def test_a_field_cannot_be_put_into_a_scalar() -> None:
    """The scalar stays, and the override is reported."""
    spec = "name: a\nstream: {retention: {keep: until-done}}\nenvironments: {dev: {stream.retention.keep.length: 5}}\n"
    resolved = layers(spec)
    assert value(resolved, ("stream", "retention", "keep")) == "until-done"
    assert [f"{one.at} {one.rule}" for one in resolved.problems] == ["spec.yaml:3:22 unknown-override"]


def test_a_platform_default_inside_a_scalar_is_ignored() -> None:
    """Authors of specs get no findings about unsuitable defaults."""
    resolved = layers(
        "name: a\nstream: {retention: {keep: until-done}}\n", "defaults: {stream.retention.keep.length: 5}\n"
    )
    assert value(resolved, ("stream", "retention", "keep")) == "until-done"
    assert resolved.problems == ()
