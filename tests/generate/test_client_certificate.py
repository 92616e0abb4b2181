"""With `redis.certificate`, pods and KEDA present a client certificate to Redis."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Run = Callable[..., subprocess.CompletedProcess[str]]
AUTH = "auth: {secret: redis-auth} # a Kubernetes secret with the password"
FILES = {
    "REDIS_CERT_FILE": "/etc/penstock/redis-tls/tls.crt",
    "REDIS_KEY_FILE": "/etc/penstock/redis-tls/tls.key",
    "REDIS_CA_FILE": "/etc/penstock/redis-tls/ca.crt",
}


@pytest.fixture
def generated(repository: Path, penstock: Run) -> Callable[[str], Path]:
    """Generates with other fields in place of `auth` of production."""

    def generate(fields: str) -> Path:
        file = repository / "penstock.yaml"
        text = file.read_text()
        assert AUTH in text
        file.write_text(text.replace(AUTH, fields))
        ran = penstock("generate")
        assert ran.returncode == 0, ran.stderr
        return repository / "generated/production"

    return generate


def loaded(file: Path) -> Any:  # noqa: ANN401 - any manifest
    return yaml.safe_load(file.read_text())


@pytest.mark.parametrize("folder", ["media-cluster", "_environment"])
def test_pods_mount_the_secret(generated: Callable[[str], Path], folder: str) -> None:
    """Workers and the janitor, with the keys of the secret under fixed names."""
    certificate = "certificate: {secret: redis-client, certificate_key: my.crt, authorities_key: ca.pem}"
    deployment = loaded(generated(certificate) / folder / "manifests/deployment.yaml")
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    environ = {one["name"]: one.get("value") for one in container["env"]}
    assert {name: environ.get(name) for name in FILES} == FILES
    assert "REDIS_PASSWORD_FILE" not in environ
    (mount,) = [one for one in container["volumeMounts"] if one["name"] == "redis-tls"]
    assert (mount["mountPath"], mount["readOnly"]) == ("/etc/penstock/redis-tls", True)
    (volume,) = [one for one in pod["volumes"] if one["name"] == "redis-tls"]
    items = {one["path"]: one["key"] for one in volume["secret"]["items"]}
    assert volume["secret"]["secretName"] == "redis-client"
    assert items == {"tls.crt": "my.crt", "tls.key": "tls.key", "ca.crt": "ca.pem"}


def test_keda_gets_the_certificate(generated: Callable[[str], Path]) -> None:
    """Beside the password; `enableTLS` stays in the trigger, as KEDA refuses TLS in both places."""
    manifests = (
        generated("auth: {secret: redis-auth}\n      certificate: {secret: redis-client}") / "media-cluster/manifests"
    )
    authentication = loaded(manifests / "triggerauthentication.yaml")
    targets = {one["parameter"]: (one["name"], one["key"]) for one in authentication["spec"]["secretTargetRef"]}
    assert targets == {
        "password": ("redis-auth", "password"),
        "cert": ("redis-client", "tls.crt"),
        "key": ("redis-client", "tls.key"),
    }
    for trigger in loaded(manifests / "scaledobject.yaml")["spec"]["triggers"]:
        if trigger["type"].startswith("redis"):
            assert trigger["metadata"]["enableTLS"] == "true"
            assert trigger["authenticationRef"] == {"name": authentication["metadata"]["name"]}


def test_a_certificate_without_a_password_has_its_own_authentication(generated: Callable[[str], Path]) -> None:
    """A Redis may know its clients by certificate alone."""
    folder = generated("certificate: {secret: redis-client, authorities_key: ca.crt}") / "media-cluster"
    authentication = loaded(folder / "manifests/triggerauthentication.yaml")
    assert [one["parameter"] for one in authentication["spec"]["secretTargetRef"]] == ["cert", "key", "ca"]
    values = loaded(folder / "values.yaml")["redis"]
    assert values["certificate"] == {
        "secret": "redis-client",
        "certificateKey": "tls.crt",
        "privateKeyKey": "tls.key",
        "authoritiesKey": "ca.crt",
    }
    assert values["triggerAuthentication"] is True
    assert "secret" not in values


def test_the_infrastructure_must_provide_the_secret(generated: Callable[[str], Path]) -> None:
    needs = yaml.safe_load(
        (generated("certificate: {secret: redis-client}") / "_environment/terraform.tfvars.json").read_text()
    )
    secrets = {one["name"]: one["keys"] for one in needs["secrets"]}
    assert secrets["redis-client"] == ["tls.crt", "tls.key"]
