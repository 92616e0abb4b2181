"""Two janitors with stale, different lists of pods, from an API server each."""

from __future__ import annotations

import json
import socket
import time

from apiserver import ApiServer
from pipelines import KEY

from .account import Facts
from .family import Family
from .of_processes import ALL
from .storm import Storm
from .supervised import Around

GHOST_IDLE = "2s"
OWNED = 5
"""How many messages a ghost had read when its process ended."""


def around(storm: Storm, role: str, number: int) -> Around:
    """Each janitor asks its own API server; a pod of another pipeline is always there, so that no list is empty."""
    if role != "janitor":
        return Around()
    storm.pods.append(storm.ends.enter_context(ApiServer("another-pod")))
    folder = storm.folder / f"api-{number}"
    folder.mkdir()
    return Around({"KUBECONFIG": str(storm.pods[-1].kubeconfig(folder))})


def lists(storm: Storm) -> None:
    """Foreign consumers die with messages, and each janitor has another idea of which pods exist."""
    host, names = socket.gethostname(), list[str]()
    end = storm.faults_last()
    while time.monotonic() < end:
        names.append(f"ghost-pod-{len(names)}")
        command = ("XREADGROUP", "GROUP", "trial", f"{names[-1]}-x", "COUNT", OWNED, "STREAMS", KEY, ">")
        if storm.ask(*command) is None:
            storm.ask("XGROUP", "CREATECONSUMER", KEY, "trial", f"{names[-1]}-x")
        for server in storm.pods:
            believed = [one for one in (host, *names) if storm.rng.random() < 0.5]
            server.replace("another-pod", *believed)
        storm.pause(0.5, 1.5)
        if storm.rng.random() < 0.3:
            place = storm.rng.choice(storm.places)
            # A janitor that drains releases its lock, so the other leads at once, with its own list.
            place.terminate() if place.role == "janitor" and storm.rng.random() < 0.8 else place.kill()
    for server in storm.pods:
        server.replace("another-pod", host)


def check(storm: Storm, facts: Facts) -> list[str]:
    """Both kinds of mistakes must have had a chance: the janitors asked, and removed ghosts."""
    del facts
    lines = [line for process in storm.trial.processes for line in process.lines()]
    removed = {str(line["consumer"]) for line in lines if line.get("event") == "ghost.removed"}
    asked = sum(server.lists for server in storm.pods)
    storm.notes.append(f"pods were listed {asked} times, {len(removed)} ghosts were removed")
    strange = sorted(name for name in removed if not name.startswith("ghost-pod-"))
    found = [f"P7 a consumer with a lease was removed as a ghost: {json.dumps(strange)}"] if strange else []
    return found if asked > 1 and removed else [*found, "the janitors removed no ghost, or asked for pods only once"]


FAMILIES = (
    Family(
        "stale-pods",
        "Gives two janitors stale, different lists of pods, adds foreign consumers without a pod, and kills both.",
        f"{ALL}; a consumer with a lease is no ghost",
        lists,
        seconds=30.0,
        spec={
            "janitor": f"janitor: {{ghosts: {{idle: {GHOST_IDLE}, every: 1s}}}}",
            "scaling": "scaling: {protect_busy: true}",
        },
        around=around,
        checks=check,
    ),
)
