"""Sets pod-deletion costs by the messages that a pod's consumer owns, so Kubernetes removes busy pods last."""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from penstock.janitor.consumers import consumers
from penstock.janitor.kubernetes_pods import PodsApi
from penstock.keys import PipelineKeys
from penstock.wire.link import Link

HOSTNAME = "{hostname}"
SUFFIX = r"~[0-9A-Za-z]{8}"
POD = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
"""The name of a pod: a DNS label. Anyone who may write to the stream names consumers, and this name becomes a part of
the path of a request to the API server: a name such as `..` must not."""


class DeletionCosts:
    """Sets the costs of one pipeline's pods when they change."""

    def __init__(self, link: Link, keys: PipelineKeys, consumer: str, pods: PodsApi) -> None:
        """`consumer` is the name in the spec. Without `{hostname}` in it, no consumer can be matched to a pod."""
        self._link = link
        self._keys = keys
        self._pods = pods
        before, place, after = consumer.partition(HOSTNAME)
        name = f"{re.escape(before)}(?P<pod>{POD}){re.escape(after.replace(HOSTNAME, ''))}{SUFFIX}"
        self._name = re.compile(name.encode()) if place else None
        self._set: dict[str, int] = {}

    async def update(self) -> int:
        """Update the costs; return how many were set. Raises PodsUnknownError."""
        costs = await self.costs()
        # A pod that no longer has a consumer is shutting down, or has no work.
        wanted = {pod: 0 for pod, cost in self._set.items() if cost} | costs
        changed = 0
        for pod, cost in wanted.items():
            if self._set.get(pod) != cost:
                await asyncio.to_thread(self._pods.set_cost, pod, cost)
                self._set[pod] = cost
                changed += 1
        self._set = {pod: cost for pod, cost in self._set.items() if pod in costs}
        return changed

    async def costs(self) -> dict[str, int]:
        """The cost of each pod: the entries it owns, rounded up to a power of two so that it rarely changes."""
        if self._name is None:
            return {}
        owned: Counter[str] = Counter()
        for consumer in await consumers(self._link, self._keys):
            match = self._name.fullmatch(consumer.name)
            if match:
                owned[match["pod"].decode()] += consumer.pending
        return {pod: 1 << (count - 1).bit_length() if count else 0 for pod, count in owned.items()}
