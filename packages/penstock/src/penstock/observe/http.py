"""The part of HTTP/1.1 that probes and scrapers need: one request per connection, no body, GET and HEAD."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

MOST_HEAD = 8192
"""Bytes of a request's first line and headers."""
END = b"\r\n\r\n"

REQUEST = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) (/[!-~]*) HTTP/1\.([01])")
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class BadRequestError(Exception):
    """The request is invalid."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request."""

    method: str
    path: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer."""

    status: HTTPStatus = HTTPStatus.OK
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def text(cls, status: HTTPStatus, sentence: str) -> Answer:
        """An answer with a sentence."""
        return cls(status, f"{sentence}\n".encode())

    @classmethod
    def json(cls, value: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Answer:
        """An answer with a JSON object."""
        return cls(status, json.dumps(value).encode() + b"\n", "application/json")

    def encode(self, method: str) -> bytes:
        """The bytes to send; HEAD gets no body."""
        head = {
            "Content-Type": self.content_type,
            "Content-Length": str(len(self.body)),
            "Cache-Control": "no-store",
            "Connection": "close",
            **self.headers,
        }
        lines = [
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            *(f"{name}: {one}" for name, one in head.items()),
        ]
        return "\r\n".join(lines).encode("latin-1") + END + (b"" if method == "HEAD" else self.body)


def parse(head: bytes) -> Request:
    """Parse the first line and the headers, up to the empty line."""
    first, *lines = head.removesuffix(END).decode("latin-1").split("\r\n")
    request = REQUEST.fullmatch(first)
    if request is None:
        raise BadRequestError("the first line is not a request")
    headers: dict[str, str] = {}
    for line in lines:
        written, colon, rest = line.partition(":")
        if not colon or not NAME.fullmatch(written) or CONTROL.search(rest):
            raise BadRequestError("a line is not a header")
        name, value = written.lower(), rest.strip(" \t")
        if name == "host" and name in headers:
            raise BadRequestError("two `Host` headers")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if request[3] == "1" and "host" not in headers:
        raise BadRequestError("no `Host` header")
    return Request(request[1], request[2].partition("?")[0], headers)
