"""What Kubernetes knows of pods. Only this module loads the `kubernetes` package, and only when something is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kubernetes.client import CoreV1Api

COST = "controller.kubernetes.io/pod-deletion-cost"
PAGE = 500
CONNECT, ANSWER = 2.0, 10.0
"""Seconds."""
NOT_FOUND = 404
OK = 200


class PodsUnknownError(Exception):
    """Nobody answered what pods there are, or would do what was asked: nothing may be concluded from it."""


class PodsApi(Protocol):
    """Who knows the pods of the namespace. Calls block, and are made in a thread."""

    def names(self) -> frozenset[str]:
        """All of them. Raises PodsUnknownError."""
        ...

    def set_cost(self, pod: str, cost: int) -> None:
        """The pod with the lowest cost goes first; one that is gone already is no error. Raises PodsUnknownError."""
        ...


class KubernetesPods:
    """Asks the API server: as the pod's service account, or as `KUBECONFIG` says."""

    def __init__(self, namespace: str, environ: Mapping[str, str]) -> None:
        """Nothing is loaded or asked yet."""
        self._namespace = namespace
        self._environ = environ
        self._api: CoreV1Api | None = None

    def names(self) -> frozenset[str]:
        """Page by page. An empty list is not believed: we run in a pod ourselves, or look at the wrong place."""
        found: set[str] = set()
        more: str | None = None
        while True:
            told = self._ask(
                "list_namespaced_pod", self._namespace, limit=PAGE, **({"_continue": more} if more else {})
            )
            try:
                found.update(str(pod["metadata"]["name"]) for pod in told["items"])
                more = told["metadata"].get("continue")
            except (KeyError, TypeError, AttributeError):
                raise PodsUnknownError("the API server's answer is no list of pods") from None
            if not more:
                break
        if not found:
            raise PodsUnknownError(f"the API server knows no pod in the namespace `{self._namespace}`, not even ours")
        return frozenset(found)

    def set_cost(self, pod: str, cost: int) -> None:
        """As an annotation of the pod."""
        body = {"metadata": {"annotations": {COST: str(cost)}}}
        self._ask("patch_namespaced_pod", pod, self._namespace, body)

    def _ask(self, what: str, *args: object, **kwargs: object) -> Mapping[str, Any]:
        try:
            from kubernetes.client import ApiException  # noqa: PLC0415 - 35 MB, for the few who need it
        except ImportError:
            says = "the package `kubernetes` is not installed here; the janitor's image needs `penstock[kubernetes]`"
            raise PodsUnknownError(says) from None
        try:
            call = getattr(self._connected(), what)
            told = call(*args, **kwargs, _preload_content=False, _request_timeout=(CONNECT, ANSWER))
            status, data = int(told.status), bytes(told.data)
        except ApiException as error:
            status, data = error.status or 0, b""
        except Exception as error:
            raise PodsUnknownError(f"no answer of the API server: {type(error).__name__}") from error
        if status == NOT_FOUND and what == "patch_namespaced_pod":
            return {}
        if status != OK:
            raise PodsUnknownError(f"the API server refuses `{what}` with {status}")
        try:
            value = json.loads(data)
        except ValueError:
            raise PodsUnknownError("the API server's answer is no JSON") from None
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
