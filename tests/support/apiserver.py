"""The part of a Kubernetes API server that the janitor uses: it lists pods in pages and patches annotations."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import yaml

COST = "controller.kubernetes.io/pod-deletion-cost"
TOKEN = "a-service-accounts-token"  # noqa: S105 - of a server that runs as long as a test


class ApiServer:
    """An API server on a free port, in threads."""

    def __init__(self, *pods: str, namespace: str = "tests", page: int = 500) -> None:
        self.costs: dict[str, str | None] = dict.fromkeys(pods)
        self.namespace = namespace
        self.page = page
        self.status = 200
        """The status of each response; other than 200, the body is empty."""
        self.body: bytes | None = None
        """A body that replaces the true one."""
        self.patches = 0
        self.lists = 0
        """How often the first page of pods was asked for."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def kubeconfig(self, folder: Path) -> Path:
        """Write a kubeconfig for this server."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "tests",
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "tests"}}],
            "clusters": [{"name": "tests", "cluster": {"server": f"http://127.0.0.1:{self._server.server_port}"}}],
            "users": [{"name": "tests", "user": {"token": TOKEN}}],
        }
        file = folder / "kubeconfig"
        file.write_text(yaml.safe_dump(config))
        return file

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def replace(self, *pods: str) -> None:
        """From now on, these pods exist."""
        self.costs = dict.fromkeys(pods)

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, method: str, path: str, query: dict[str, list[str]], sent: bytes) -> tuple[int, bytes]:
        """Handle one request."""
        pods = f"/api/v1/namespaces/{self.namespace}/pods"
        if self.status != 200 or self.body is not None:
            return self.status, self.body or b"{}"
        if method == "GET" and path == pods:
            return 200, json.dumps(self._list(query)).encode()
        name = path.removeprefix(f"{pods}/")
        if method != "PATCH" or name not in self.costs:
            return 404, b'{"kind": "Status", "code": 404}'
        self.patches += 1
        self.costs[name] = json.loads(sent)["metadata"]["annotations"][COST]
        return 200, json.dumps(_pod(name)).encode()

    def _list(self, query: dict[str, list[str]]) -> dict[str, Any]:
        names = sorted(self.costs)
        self.lists += "continue" not in query
        begin = int(query.get("continue", ["0"])[0])
        end = begin + min(self.page, int(query["limit"][0]))
        more = {"continue": str(end)} if end < len(names) else {}
        return {"kind": "PodList", "metadata": more, "items": [_pod(name) for name in names[begin:end]]}


def _pod(name: str) -> dict[str, Any]:
    return {"kind": "Pod", "metadata": {"name": name}, "spec": {"containers": []}}


def _handler(api: ApiServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            url = urlsplit(self.path)
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            allowed = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            response = api.answer(self.command, url.path, parse_qs(url.query), sent) if allowed else (401, b"{}")
            status, body = response
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PATCH = _answer  # noqa: N815 - named by http.server

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    return Handler
