"""A real Prometheus, and pages for it to scrape."""

from __future__ import annotations

import json
import math
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Self

import yaml
from patience import PATIENCE
from servers import lasting_port, wait_for

from penstock.embedded import LOOPBACK, ServerProcess

TRIES = 5
Page = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Scraped:
    """A page, and the labels that it is scraped with."""

    address: str
    labels: Mapping[str, str]
    path: str = "/metrics"
    honor: bool = False
    """Whether labels of the page override these, as with `honorLabels`."""


@contextmanager
def pages(served: Iterable[tuple[str, Page]]) -> Iterator[str]:
    """Serve pages by path; yield the server's address."""
    by_path = dict(served)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = by_path.get(self.path)
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.end_headers()
            self.wfile.write(page() if page else b"")

        def log_message(self, *_: object) -> None:
            """Log nothing: Prometheus scrapes every second."""

    with ThreadingHTTPServer((LOOPBACK, 0), Handler) as server:
        thread = Thread(target=partial(server.serve_forever, poll_interval=0.05), daemon=True)
        thread.start()
        try:
            yield f"{LOOPBACK}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Prometheus:
    """A Prometheus that scrapes pages and evaluates rules every second."""

    def __init__(self, scraped: Sequence[Scraped], rules: Sequence[Path]) -> None:
        self.scraped = scraped
        self._rules = rules
        self._address = ""

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Run it from when it is ready until the end of the block, then delete its data."""
        with tempfile.TemporaryDirectory(prefix="penstock-test-") as name:
            folder = Path(name)
            (folder / "prometheus.yml").write_text(yaml.safe_dump(self._settings()))
            launched = self._launched(folder)
            try:
                yield self
            finally:
                launched.kill()

    def has_number(self, query: str, since: float, until: float) -> bool:
        """Whether a query has a number at any second in between."""
        data = self.query("query_range", query=query, start=f"{since:.3f}", end=f"{until:.3f}", step="1")
        return any(not math.isnan(float(value)) for series in data["result"] for _, value in series["values"])

    def query(self, what: str, **parameters: str) -> Any:  # noqa: ANN401 - each query has its own shape
        """The data of an API response. Raises ValueError with the response's text if the API reports an error."""
        body = urllib.parse.urlencode(parameters).encode()
        try:
            with urllib.request.urlopen(f"http://{self._address}/api/v1/{what}", body, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            with error:
                raise ValueError(error.read().decode()) from error

    def _launched(self, folder: Path) -> ServerProcess:
        log = folder / "log"
        for _ in range(TRIES):
            address = f"{LOOPBACK}:{lasting_port()}"
            options = {
                "config.file": folder / "prometheus.yml",
                "storage.tsdb.path": folder / "data",
                "web.listen-address": address,
                "log.level": "warn",
            }
            words = [f"--{name}={value}" for name, value in options.items()]
            launched = ServerProcess(["prometheus", *words], log=log, temporary=folder)
            self._address = address
            if self._runs(launched):
                return launched
        raise AssertionError(log.read_text())

    def _runs(self, launched: ServerProcess) -> bool:
        """Whether it becomes ready; it does not if another process took its port."""
        try:
            wait_for(lambda: launched.has_ended() or self._is_ready(), "Prometheus is ready", PATIENCE)
        except BaseException:
            launched.kill()
            raise
        if launched.has_ended():
            launched.kill()
            return False
        return True

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready", timeout=PATIENCE) as answer:
                return bool(answer.status == 200)
        except urllib.error.HTTPError as error:  # while it starts
            error.close()
            return False

    def _settings(self) -> dict[str, Any]:
        return {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(one) for one in self._rules],
            "scrape_configs": [
                {
                    "job_name": str(number),
                    "metrics_path": one.path,
                    "honor_labels": one.honor,
                    "static_configs": [{"targets": [one.address], "labels": dict(one.labels)}],
                }
                for number, one in enumerate(self.scraped)
            ],
        }
