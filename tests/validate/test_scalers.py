"""What triggers are given is what KEDA's scalers take, by the list that KEDA publishes: KEDA itself reports no typo."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from awkward_specs import REDIS, SPEC, generated

Scalers = dict[str, dict[str, dict[str, Any]]]
"""Parameters by scaler and name."""
DEFAULTED = {"streamLength", "pendingEntriesCount", "targetValue"}
"""Parameters that the list calls required, or that stand for each other."""


@pytest.fixture(scope="module")
def scalers(root: Path) -> Scalers:
    listed = json.loads((root / "build/validators/schemas/scalers-schema.json").read_text())
    assert listed["kedaVersion"].startswith("v2.21") or listed["kedaVersion"] == "main"
    return {one["type"]: {parameter["name"]: parameter for parameter in one["parameters"]} for one in listed["scalers"]}


def triggers(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each, with the authentication that goes with it, if it is ours."""
    scaled = yaml.safe_load((folder / "manifests/scaledobject.yaml").read_text())
    file = folder / "manifests/triggerauthentication.yaml"
    authentication = yaml.safe_load(file.read_text()) if file.exists() else {}
    for trigger in scaled["spec"]["triggers"]:
        yield trigger, authentication if "authenticationRef" in trigger else {}


def check(scalers: Scalers, folder: Path) -> None:
    for trigger, authentication in triggers(folder):
        known = scalers[trigger["type"]]
        given = trigger["metadata"]
        assert given.keys() <= known.keys()
        assert all(isinstance(value, str) for value in given.values())
        for name, value in given.items():
            assert known[name].get("metadataVariableReadable"), name
            assert value in known[name].get("allowedValue", [value])
        secrets = [one["parameter"] for one in authentication.get("spec", {}).get("secretTargetRef", [])]
        for name in secrets:
            assert known[name].get("triggerAuthenticationVariableReadable"), name
            assert name not in given
        needed = {name for name, one in known.items() if not one.get("optional") and "default" not in one}
        assert needed - DEFAULTED <= given.keys() | set(secrets)


def test_what_is_committed(root: Path, scalers: Scalers) -> None:
    found = sorted((root / "generated").glob("*/[!_]*/manifests/scaledobject.yaml"))
    assert len(found) == 10
    for file in found:
        check(scalers, file.parents[1])


@pytest.mark.parametrize("redis", REDIS)
def test_every_kind_of_redis(tmp_path: Path, scalers: Scalers, redis: str) -> None:
    """Standalone, cluster and sentinel, with users and without."""
    check(scalers, generated(tmp_path, SPEC, REDIS[redis]))


def test_a_user_is_named_to_the_scaler(tmp_path: Path) -> None:
    """Else KEDA would come as the default user, with the password of another."""
    auth = {"secret": "redis-auth", "username": "media"}
    folder = generated(tmp_path, SPEC, {"auth": auth})
    asked = [trigger["metadata"] for trigger, _ in triggers(folder) if "authenticationRef" in trigger]
    assert asked
    assert all(one["username"] == "media" for one in asked)
