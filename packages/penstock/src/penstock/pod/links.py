"""Connections to the node of a spec's keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from penstock.scripts import Script
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Redis


class Target(Protocol):
    """A resolved spec whose keys share a slot."""

    @property
    def name(self) -> str:
        """The spec's name."""

    @property
    def redis(self) -> Redis:
        """Its Redis."""

    @property
    def slot_key(self) -> str:
        """The key whose node the connections lead to."""


def link_to(
    target: Target,
    credentials: Credentials,
    name: str,
    *,
    answered: Callable[[float], object] | None = None,
    sent_whole: Callable[[Script], object] | None = None,
) -> Link:
    """A connection with this name to the node of the target's keys."""
    route = Route.to(target.redis, target.slot_key, credentials=credentials)
    return Link(route, name=f"penstock-{name}-{target.name}", answered=answered, sent_whole=sent_whole)
