"""Calls the Kubernetes API for pods. Only this module imports the `kubernetes` package, at its first use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kubernetes.client import CoreV1Api

COST = "controller.kubernetes.io/pod-deletion-cost"
PAGE = 500
CONNECT, ANSWER = 2.0, 10.0
"""Timeouts in seconds."""
NOT_FOUND = 404
OK = 200


class PodsUnknownError(Exception):
    """The API server did not answer or refused, so it is unknown which pods exist."""


class PodsApi(Protocol):
    """The pods of the namespace. Calls block, and are made in a thread."""

    def names(self) -> frozenset[str]:
        """The names of all pods. Raises PodsUnknownError."""
        ...

    def set_cost(self, pod: str, cost: int) -> None:
        """Set the deletion cost: the lowest is removed first. Ignores a pod that is gone. Raises PodsUnknownError."""
        ...


class KubernetesPods:
    """Calls the API server as the pod's service account, or as `KUBECONFIG` says."""

    def __init__(self, namespace: str, environ: Mapping[str, str]) -> None:
        """Nothing is imported or called yet."""
        self._namespace = namespace
        self._environ = environ
        self._api: CoreV1Api | None = None

    def names(self) -> frozenset[str]:
        """Read page by page. An empty list is an error: the janitor itself runs in a pod of this namespace."""
        pods: set[str] = set()
        more: str | None = None
        while True:
            page = self._call(
                "list_namespaced_pod", self._namespace, limit=PAGE, **({"_continue": more} if more else {})
            )
            try:
                pods.update(str(pod["metadata"]["name"]) for pod in page["items"])
                more = page["metadata"].get("continue")
            except (KeyError, TypeError, AttributeError):
                raise PodsUnknownError("the API server's answer is not a list of pods") from None
            if not more:
                break
        if not pods:
            raise PodsUnknownError(
                f"the API server lists no pod in the namespace `{self._namespace}`, not even this one"
            )
        return frozenset(pods)

    def set_cost(self, pod: str, cost: int) -> None:
        """Set it as an annotation of the pod."""
        body = {"metadata": {"annotations": {COST: str(cost)}}}
        self._call("patch_namespaced_pod", pod, self._namespace, body)

    def _call(self, method: str, *args: object, **kwargs: object) -> Mapping[str, Any]:
        try:
            from kubernetes.client import ApiException  # noqa: PLC0415 - 35 MB of memory, only needed here
        except ImportError:
            problem = "the package `kubernetes` is not installed; the janitor's image needs `penstock[kubernetes]`"
            raise PodsUnknownError(problem) from None
        try:
            call = getattr(self._connected(), method)
            response = call(*args, **kwargs, _preload_content=False, _request_timeout=(CONNECT, ANSWER))
            status, data = int(response.status), bytes(response.data)
        except ApiException as error:
            status, data = error.status or 0, b""
        except Exception as error:
            raise PodsUnknownError(f"the API server does not answer: {type(error).__name__}") from error
        if status == NOT_FOUND and method == "patch_namespaced_pod":
            return {}
        if status != OK:
            raise PodsUnknownError(f"the API server refuses `{method}` with {status}")
        try:
            value = json.loads(data)
        except ValueError:
            raise PodsUnknownError("the API server's answer is not JSON") from None
        return value if isinstance(value, dict) else {}

    def _connected(self) -> CoreV1Api:
        if self._api is None:
            from kubernetes import client, config  # noqa: PLC0415 - as above

            settings = client.Configuration()
            file = self._environ.get("KUBECONFIG")
            if file is None and "KUBERNETES_SERVICE_HOST" in self._environ:
                config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call]  # theirs
            else:
                config.load_kube_config(file, client_configuration=settings)  # type: ignore[no-untyped-call]  # theirs
            settings.retries = 0
            self._api = client.CoreV1Api(client.ApiClient(settings))
        return self._api
