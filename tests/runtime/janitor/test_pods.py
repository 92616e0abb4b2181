"""Pods are read from a real HTTP server, which may fail in every way."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from apiserver import ApiServer

from penstock.janitor.kubernetes_pods import KubernetesPods, PodsUnknownError


@pytest.fixture
def pods(tmp_path: Path) -> Callable[[ApiServer], KubernetesPods]:
    """The pods of a server."""

    def of(api: ApiServer) -> KubernetesPods:
        return KubernetesPods("tests", {"KUBECONFIG": str(api.kubeconfig(tmp_path))})

    return of


def test_all_pods_are_listed(pods: Callable[[ApiServer], KubernetesPods]) -> None:
    """Page by page."""
    names = [f"web-{number}" for number in range(25)]
    with ApiServer(*names, page=10) as api:
        assert pods(api).names() == frozenset(names)


def test_a_cost_is_set(pods: Callable[[ApiServer], KubernetesPods]) -> None:
    """As an annotation; a missing pod is no error."""
    with ApiServer("web-1") as api:
        known = pods(api)
        known.set_cost("web-1", 4)
        known.set_cost("web-2", 8)
        assert api.costs == {"web-1": "4"}


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_a_refusal_is_an_error(pods: Callable[[ApiServer], KubernetesPods], status: int) -> None:
    """It does not mean that no pods exist."""
    with ApiServer("web-1") as api:
        api.status = status
        with pytest.raises(PodsUnknownError, match=str(status)):
            pods(api).names()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"items": null}', b'{"items": [{}], "metadata": {}}'])
def test_an_answer_without_a_list_of_pods_is_an_error(pods: Callable[[ApiServer], KubernetesPods], body: bytes) -> None:
    """Such as a proxy's."""
    with ApiServer("web-1") as api:
        api.body = body or b" "
        with pytest.raises(PodsUnknownError):
            pods(api).names()


def test_an_empty_list_of_pods_is_an_error(pods: Callable[[ApiServer], KubernetesPods]) -> None:
    """The janitor runs in a pod itself, so the namespace must be wrong."""
    with ApiServer() as api, pytest.raises(PodsUnknownError, match="not even this one"):
        pods(api).names()


def test_a_server_that_goes_down_is_an_error(pods: Callable[[ApiServer], KubernetesPods]) -> None:
    """Also after earlier answers."""
    with ApiServer("web-1") as api:
        known = pods(api)
        assert known.names() == {"web-1"}
    with pytest.raises(PodsUnknownError):
        known.names()
    with pytest.raises(PodsUnknownError):
        known.set_cost("web-1", 1)


@pytest.mark.parametrize("host", [{}, {"KUBERNETES_SERVICE_HOST": "127.0.0.1"}], ids=["laptop", "no account"])
def test_without_a_cluster_pods_are_unknown(tmp_path: Path, host: dict[str, str]) -> None:
    """On a laptop, and in a pod without a service account."""
    environ = host or {"KUBECONFIG": str(tmp_path / "none")}
    with pytest.raises(PodsUnknownError):
        KubernetesPods("tests", environ).names()


def test_without_the_package_pods_are_unknown() -> None:
    """The error names the package."""
    code = (
        "import sys; sys.modules['kubernetes'] = sys.modules['kubernetes.client'] = None\n"
        "from penstock.janitor.kubernetes_pods import KubernetesPods, PodsUnknownError\n"
        "try: KubernetesPods('tests', {}).names()\n"
        "except PodsUnknownError as error: print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "penstock[kubernetes]" in result.stdout


def test_the_package_is_imported_only_when_needed() -> None:
    """It costs 35 MB, and few janitors need it."""
    code = (
        "import sys\n"
        "from penstock.janitor import janitor, role\n"
        "from penstock.janitor.kubernetes_pods import KubernetesPods\n"
        "KubernetesPods('tests', {})\n"
        "print([name for name in sys.modules if name.startswith('kubernetes')])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout == "[]\n"
