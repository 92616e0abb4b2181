"""Parses the URL of `--redis`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal
from urllib.parse import unquote

from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import ADDRESS, HIGHEST_PORT, Redis

FORMS = (
    "write `redis://host:port/database`, `redis+sentinel://host:port,host:port/master`, or "
    "`redis+cluster://host:port,host:port`; `rediss` for TLS"
)
SCHEME = re.compile(r"(redis|rediss)(?:\+(sentinel|cluster))?")
PORTS = {"standalone": 6379, "cluster": 6379, "sentinel": 26379}
HIGHEST_DATABASE = 16383


def read_url(url: str, environ: Mapping[str, str]) -> tuple[Redis, Credentials]:
    """Parse a URL; a password that is not in it comes from the environment.

    The URL may contain a password, so errors quote nothing but hosts.
    """
    scheme, _, rest = url.partition("://")
    known = SCHEME.fullmatch(scheme)
    if not known or not rest:
        raise CannotGoOn("this is not the URL of a Redis", FORMS)
    authority, _, path = rest.partition("/")
    if "@" in path or any(mark in rest for mark in "?#"):
        raise CannotGoOn(
            "the URL of Redis has a `/`, `?` or `#` in the wrong place",
            f"in a user or password write `%2F`, `%3F`, `%23`, and `%40` for `@`; otherwise {FORMS}",
        )
    userinfo, _, hosts = authority.rpartition("@")
    topology = _topology(known[2])
    master, database = _path(topology, path)
    if topology == "standalone" and "," in hosts:
        raise CannotGoOn("the URL of Redis names several hosts, but neither `+cluster` nor `+sentinel`", FORMS)
    redis = Redis(
        topology=topology,
        addresses=[_address(host, PORTS[topology]) for host in hosts.split(",")],
        master=master,
        database=database,
        tls=known[1] == "rediss",
    )
    return redis, _with_user(Credentials.from_environment(environ), userinfo)


def without_secret(url: str, environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the URL without user and password, and the environment with them, for processes that this one starts.

    Every user of a machine can read the arguments of its processes, and only the owner their environment.
    """
    scheme, separator, rest = url.partition("://")
    userinfo, _, hosts = rest.rpartition("@")
    credentials = _with_user(Credentials(), userinfo)
    variables = dict(environ)
    if credentials.username:
        variables["REDIS_USERNAME"] = credentials.username
    if credentials.password:
        variables["REDIS_PASSWORD"] = credentials.password
        variables.pop("REDIS_PASSWORD_FILE", None)
    return f"{scheme}{separator}{hosts}", variables


def has_password(url: str) -> bool:
    """Whether the URL contains a password, which other users of the machine can read in the process list."""
    userinfo, separator, _ = url.rpartition("@")
    return bool(separator) and ":" in userinfo.partition("://")[2]


def _topology(word: str | None) -> Literal["standalone", "cluster", "sentinel"]:
    match word:
        case "cluster" | "sentinel":
            return word
        case _:
            return "standalone"


def _address(host: str, port: int) -> str:
    if not host:
        raise CannotGoOn("the URL of Redis names no host", FORMS)
    address = host if re.search(r":[0-9]+$", host.rpartition("]")[2]) else f"{host}:{port}"
    match = ADDRESS.fullmatch(address)
    if not match or not 0 < int(match[3]) <= HIGHEST_PORT:
        raise CannotGoOn(f"`{host}` in the URL of Redis is not a host and a port", FORMS)
    return address


def _path(topology: str, path: str) -> tuple[str | None, int]:
    """Return the master's name and the database number."""
    master, _, database = path.partition("/") if topology == "sentinel" else ("", "", path)
    if topology == "sentinel" and not master:
        raise CannotGoOn("the URL of the sentinels names no master", FORMS)
    if topology == "cluster" and database:
        raise CannotGoOn("the URL of a cluster ends with its hosts: it has no databases to choose from", FORMS)
    if database and not (database.isascii() and database.isdigit() and int(database) <= HIGHEST_DATABASE):
        raise CannotGoOn("the database in the URL of Redis is not a number", FORMS)
    return unquote(master) or None, int(database or 0)


def _with_user(credentials: Credentials, userinfo: str) -> Credentials:
    username, _, password = userinfo.partition(":")
    if username:
        credentials = replace(credentials, username=unquote(username))
    if password:
        credentials = replace(credentials, password=unquote(password), password_file=None)
    return credentials
