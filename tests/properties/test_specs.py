"""Properties of all valid specs."""

import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock_spec.kinds import kinds
from penstock_spec.linting.check import check_platform, check_spec, resolve
from penstock_spec.reading import Document, read
from penstock_spec.show import as_spec
from penstock_spec.values.yaml_text import scalar

Data = dict[str, Any]
Specs = st.SearchStrategy[Data]

PLATFORM = check_platform(
    read(
        "penstock.yaml",
        b"""\
kind: platform
environments:
  dev: {namespace: dev, redis: {addresses: ["redis:6379"], connections: 10000}}
  production: {namespace: production, redis: {addresses: ["redis:6379"], connections: 10000}}
defaults: {work.lease: 45s, alerts.backlog_age: 10m}
""",
    )
)
ENVIRONMENTS = ("dev", "production")
slowly = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def inline(value: Any) -> str:  # noqa: ANN401 - whatever a spec holds
    """On one line, between brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {inline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return str(value) if type(value).__name__ == "AsWritten" else scalar(value)


def below(value: Data, indent: str = "") -> str:
    """As block mappings."""
    text = ""
    for key, one in value.items():
        if isinstance(one, dict) and one:
            text += f"{indent}{scalar(key)}:\n{below(one, indent + '  ')}"
        else:
            text += f"{indent}{scalar(key)}: {inline(one)}\n"
    return text


def model_of(text: str, environment: str) -> Any:  # noqa: ANN401 - a kind's model
    document = loaded(text)
    return resolve(kinds()[document.data["kind"]], document, PLATFORM, environment)[0]


def loaded(text: str) -> Document:
    document = read("specs/it.yaml", text.encode())
    assert not document.problems
    return document


def findings(text: str) -> set[tuple[str, str, str]]:
    """The findings of a spec, without line numbers."""
    checked = check_spec(loaded(text), PLATFORM, ENVIRONMENTS, lambda _: None)
    return {(where, one.rule, re.sub(r"line [0-9]+", "line", one.says)) for where, one in checked.problems}


@slowly
@given(data=st.data())
def test_a_resolved_spec_resolves_to_itself(specs: Specs, data: st.DataObject) -> None:
    text = below(data.draw(specs))
    for environment in ENVIRONMENTS:
        model = model_of(text, environment)
        shown = as_spec(model)
        again = model_of(shown, environment)
        assert again.model_copy(update={"environments": model.environments}) == model
        assert as_spec(again) == shown


@slowly
@given(data=st.data())
def test_values_of_a_spec_are_kept_as_written(specs: Specs, data: st.DataObject) -> None:
    spec = data.draw(specs)
    spec.pop("environments", None)
    assert_kept(spec, model_of(below(spec), "dev").model_dump(by_alias=True))


def assert_kept(written: Any, kept: Any) -> None:  # noqa: ANN401 - whatever a spec holds
    if isinstance(written, dict):
        for key, one in written.items():
            assert_kept(one, kept[key])
    elif isinstance(written, list):
        for one, other in zip(written, kept, strict=True):
            assert_kept(one, other)
    else:
        assert str(kept) == str(written)


@slowly
@given(data=st.data())
def test_key_order_comments_and_brackets_change_nothing(specs: Specs, data: st.DataObject) -> None:
    spec = data.draw(specs)
    shuffled = data.draw(reordered(spec))
    text, other = below(spec), commented(data, below(shuffled))
    for environment in ENVIRONMENTS:
        model = model_of(text, environment)
        assert model_of(other, environment) == model
        assert model_of(inline(shuffled), environment) == model
    assert findings(text) == findings(other) == findings(inline(shuffled))


def reordered(value: Any, *, ordered: bool = False) -> st.SearchStrategy[Any]:  # noqa: ANN401 - whatever a spec holds
    """The same with another order of keys, except in `retries.classes`, where the first match counts."""
    if isinstance(value, list):
        return st.tuples(*map(reordered, value)).map(list)
    if not isinstance(value, dict):
        return st.just(value)
    inner = st.fixed_dictionaries({key: reordered(one, ordered=key == "classes") for key, one in value.items()})
    if ordered:
        return inner
    return st.builds(lambda keys, all_: {key: all_[key] for key in keys}, st.permutations(list(value)), inner)


def commented(data: st.DataObject, text: str) -> str:
    """With comments and blank lines between and after its lines."""
    lines = text.splitlines()
    gaps = st.lists(st.sampled_from(["", "", " # a: b", "\n\n", "\n# - {", "\n    # deeper"]), min_size=5, max_size=9)
    chosen = data.draw(gaps)
    return "# first\n" + "".join(f"{line}{chosen[n % len(chosen)]}\n" for n, line in enumerate(lines))
