"""A client of the YAML language server that editors run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

Message = dict[str, Any]


class Editor:
    """A language server, and the last diagnostics of each file."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.requests = 0
        self.diagnostics: dict[str, list[Message]] = {}
        self.request("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.send({"method": "initialized", "params": {}})

    def open(self, name: str, text: str) -> str:
        """Open a file and wait for its diagnostics."""
        uri = (self.folder / name).as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while uri not in self.diagnostics:
            self.handle(self.receive())
        return uri

    def hover(self, uri: str, line: int, column: int) -> str:
        """The text of a hover at a place."""
        hover = self.request("textDocument/hover", self.place(uri, line, column))
        return str(hover["contents"]["value"])

    def completions(self, uri: str, line: int, column: int) -> list[str]:
        """The labels of completions at a place."""
        completions = self.request("textDocument/completion", self.place(uri, line, column))
        return [item["label"] for item in completions["items"]]

    @staticmethod
    def place(uri: str, line: int, column: int) -> Message:
        """Lines and columns count from 1 here, as in findings."""
        return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column - 1}}

    def request(self, method: str, params: Message) -> Any:  # noqa: ANN401 - each method has another result
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.requests and "method" not in message:
                return message["result"]
            self.handle(message)

    def handle(self, message: Message) -> None:
        """Store diagnostics, and answer each request of the server with empty values."""
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "id" in message and "method" in message:
            items = message["params"].get("items", []) if isinstance(message.get("params"), dict) else []
            self.send({"id": message["id"], "result": [{} for _ in items] or None})

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> Message:
        assert self.process.stdout is not None
        length = 0
        while header := self.process.stdout.readline().strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server stopped"
        message: Message = json.loads(self.process.stdout.read(length))
        return message


@pytest.fixture
def editor(root: Path) -> Iterator[Editor]:
    """A language server in this repository, so that the first line of a spec finds its schema."""
    command = ["yaml-language-server", "--stdio"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as process:
        yield Editor(process, root)
        process.kill()
