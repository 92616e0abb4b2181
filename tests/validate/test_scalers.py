"""Triggers have only parameters that KEDA's scalers accept, by KEDA's published list: KEDA itself ignores typos."""

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
"""Parameters that the list calls required although they have a default or an alternative."""


@pytest.fixture(scope="module")
def scalers(root: Path) -> Scalers:
    listed = json.loads((root / "build/validators/schemas/scalers-schema.json").read_text())
    assert listed["kedaVersion"].startswith("v2.21") or listed["kedaVersion"] == "main"
    return {one["type"]: {parameter["name"]: parameter for parameter in one["parameters"]} for one in listed["scalers"]}


def triggers(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each trigger with its TriggerAuthentication, if Penstock generates it."""
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


def test_committed_triggers_are_valid(root: Path, scalers: Scalers) -> None:
    files = sorted((root / "generated").glob("*/[!_]*/manifests/scaledobject.yaml"))
    assert len(files) == 10
    for file in files:
        check(scalers, file.parents[1])


@pytest.mark.parametrize("redis", REDIS)
def test_triggers_of_every_topology_are_valid(tmp_path: Path, scalers: Scalers, redis: str) -> None:
    """Standalone, cluster and sentinel, with users and without."""
    check(scalers, generated(tmp_path, SPEC, REDIS[redis]))


def test_the_scaler_gets_the_username(tmp_path: Path) -> None:
    """Otherwise KEDA would log in as the default user, with another user's password."""
    auth = {"secret": "redis-auth", "username": "media"}
    folder = generated(tmp_path, SPEC, {"auth": auth})
    metadata = [trigger["metadata"] for trigger, _ in triggers(folder) if "authenticationRef" in trigger]
    assert metadata
    assert all(one["username"] == "media" for one in metadata)
