"""Rules report findings and never fail, for any patches of the ScaledObject."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.catalogue import catalogue
from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.rules.define import Rule

Specified = Callable[..., SpecContext[Pipeline]]

RULES = [rule for rule in catalogue().values() if rule.family == "scaler" and rule.scope == "spec"]

PLACES = [
    "/metadata", "/spec", "/spec/advanced", "/spec/advanced/scalingModifiers",
    "/spec/advanced/scalingModifiers/formula",
    "/spec/advanced/scalingModifiers/target", "/spec/fallback", "/spec/fallback/replicas", "/spec/idleReplicaCount",
    "/spec/minReplicaCount", "/spec/scaleTargetRef", "/spec/triggers", "/spec/triggers/-", "/spec/triggers/0",
    "/spec/triggers/0/metadata", "/spec/triggers/0/metadata/consumerGroup", "/spec/triggers/0/metadata/x",
    "/spec/triggers/0/type", "/spec/triggers/1", "/spec/triggers/1/authenticationRef", "/spec/triggers/1/name",
    "/spec/secretTargetRef", "/spec/replicas", "/spec/template/spec/containers/0/env/-",
]  # fmt: skip
WORDS = ["", "0", "2.5", "1e400", "nan", "depth", "a-b", "max(0, lag)", "redis-streams", "redis", "other", "a@b"]
KEYS = ["name", "type", "metadata", "consumerGroup", "lagCount", "streamLength", "enableTLS", "aFromEnv", "tls", "env"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
PATCHES = st.lists(
    st.fixed_dictionaries(
        {
            "target": st.sampled_from(
                ["ScaledObject", "ScaledObject", "ScaledObject", "Deployment", "TriggerAuthentication"]
            ),
            "op": st.sampled_from(["add", "replace", "remove"]),
            "path": st.sampled_from(PLACES),
            "value": VALUES,
            "reason": st.just("a trial"),
        }
    ),
    max_size=4,
)


@pytest.mark.parametrize("keep", ['"until-done"', "{age: 7d}"])
@given(patches=PATCHES)
def test_rules_survive_any_patches(specified: Specified, keep: str, patches: list[object]) -> None:
    """Each finding has a place in the spec, a message and a hint."""
    spec = f"stream: {{retention: {{keep: {keep}}}}}\npatches: {json.dumps(patches)}\n"
    subject = specified(
        spec, 'addresses: ["redis:6379"], tls: true, auth: {trigger_authentication: shared, names_tls: true}'
    )
    for problem in (one for rule in RULES if rule.check for one in rule.check(subject)):
        assert problem.at.file == subject.file
        assert problem.says
        assert problem.hint


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("keep", ["until-done", "{length: 1000}"])
def test_a_generated_scaled_object_breaks_no_rule(specified: Specified, keep: str, rule: Rule) -> None:
    """A spec without patches and scaling settings has no findings."""
    assert rule.check
    assert list(rule.check(specified(f"stream: {{retention: {{keep: {keep}}}}}\n"))) == []


def test_the_effective_scaler_is_computed_once_per_subject(specified: Specified) -> None:
    """Thirty rules use the same one; the next spec gets its own."""
    first, second = specified(), specified("scaling: {replicas: {min: 1, max: 2}}\n")
    assert effective(first) is effective(first)
    assert (effective(second).min_replicas, effective(first).min_replicas) == (1, 0)
