"""Specs of schedulers that change the generated alerts, panels and sections, and their generated files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planned import TEMPLATES, planned

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.scheduler import emit

JOBS = [{"name": "images", "every": "30s"}, {"name": "all", "every": "5m"}, {"name": "late", "cron": "0 3 * * *"}]
NASTY = "`a` 'b' \"c\" {{ d }} --- | <b>e</b> [f](g) # h $(i) \\ ```"
NASTY_KEY = "`a`'b'\"c\"---|<b>e</b>[f](g)#h$(i)\\```*"
SPECS: dict[str, dict[str, Any]] = {
    "plain": {},
    "listed": {"jobs": "pets:jobs", "shards": {"count": 3, "mine": "pets:mine"}},
    "cron": {"jobs": [JOBS[2]]},
    "unbounded": {"work": {"concurrency": 0}},
    "no cleanup": {
        "cleanup": {"zombies": {"enabled": False}, "orphans": {"enabled": False}},
        "breakers": {"enabled": False},
        "failures": {"by_class": True},
    },
    "gives up": {"failures": {"pause_after": 5}},
    "all pods clean up": {"cleanup": {"orphans": {"force_all_pods": True}}, "jitter": {"shutdown": "5s"}},
    "no pods": {"replicas": 0},
    "tagged": {"keys": {"prefix": "a:", "hash_tag": "b"}},
    "nasty": {"owner": {"team": "pets", "contact": NASTY}, "keys": {"prefix": NASTY_KEY.replace("{", "")}},
}


def planned_scheduler(folder: Path, spec: dict[str, Any], environment: dict[str, Any] | None = None) -> PlannedSpec:
    return planned(folder, {"kind": "scheduler", "jobs": JOBS, **spec}, environment)


def file(it: PlannedSpec, name: str) -> str:
    return next(one.content for one in emit(it, TEMPLATES).artifacts if one.path == f"{it.folder}/{name}")
