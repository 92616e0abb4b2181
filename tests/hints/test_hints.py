"""A hint with a suggestion is right: following it removes the finding."""

from collections.abc import Callable

import pytest

from penstock_spec.examples import complete
from penstock_spec.findings import Finding, Severity

MISTYPED = """
    wrok: {timeout: 30s}
    Work: {timeout: 30s}
    dead-letter: {keep: 7d}
    work: {concurency: 4}
    work: {onTimeout: retry}
    work: {max-pending-per-worker: 300}
    scaling: {replicas: {maxx: 5}}
    scaling: {scale_down: {windw: 10m}}
    retries: {backof: {first: 1s}}
    retries: {classes: {never: {match: [ValueError], attempt: 1}}}
    owner: {tem: media}
    owner: {team: media, contract: "#media"}
    message: {encoding: {jsn: data}}
    message: {dedup: {bye: job_id, window: 1h}}
    stream: {retention: {keep: {lenght: 5}}}
    stream: {retention: {keep: {ag: 7d}}}
    suppress: [{rul: paused, reason: a rebuild, until: 2030-01-01}]
    expect: [{name: a burst, trafic: {pattern: burst, rate: 5}, oldest_under: 5m}]
    environments: {dve: {work.timeout: 30s}}
    environments: {dev: {work.timeot: 30s}}
    environments: {dev: {timeout: 30s}}
    environments: {dev: {maxReplicaCount: 3}}
    environments: {dev: {environments.dev.work.timeout: 3s}}
    environments: {dev: {work: {timeout: 30s}}}
    environments: {dev: {scaling: {replicas: {max: 3}}}}
    maxReplicaCount: 5
    minReplicaCount: 1
    batch_size: 8
    max_attempts: 4
    terminationGracePeriodSeconds: 90s
"""

CHOICES = """
    work: {isolation: proces}
    work: {isolation: false}
    work: {on_timeout: retri}
    stream: {backlog: {when_full: rejct}}
    stream: {retention: {keep: until_done}}
    message: {encoding: field}
    patches: [{target: Deploymnt, path: /spec/paused, value: true, reason: a freeze}]
    kind: pipelin
"""

QUANTITIES = """
    work: {timeout: 60}
    work: {timeout: 60 s}
    work: {timeout: 60sec}
    work: {timeout: 1 minute}
    work: {timeout: 0.5m}
    work: {lease: [45s]}
    work: {block: null}
    shutdown: {grace: 90S}
    dead_letter: {keep: 14days}
    stream: {retention: {keep: {age: 7}}}
    message: {max_size: 256KB}
    message: {max_size: 256 KiB}
    resources: {memory: 256m}
    resources: {memory: 256}
    resources: {memory: 1gb}
    resources: {cpu: half}
    resources: {cpu: [1]}
    scaling: {cooldown: 300}
    alerts: {backlog_age: soon}
"""

TYPES = """
    work: {concurrency: "4"}
    work: {concurrency: 1.5}
    work: {concurrency: many}
    work: media
    work:
    work: 12
    owner:
    owner: media
    owner: {team: 5}
    owner: {team: true}
    handler:
    stream: {key: 12}
    stream: {consumer: {hostname}}
    stream: {consumer: x-{hostname}}
    stream: {retention: {keep: {}}}
    scaling: {paused: yes}
    scaling: {paused: "on"}
    scaling: {replicas: 5}
    scaling: {replicas: {max: "20"}}
    retries: {backoff: {factor: "2"}}
    retries: {backoff: {factor: fast}}
    retries: {classes: [never]}
    retries: {classes: {never: {match: ValueError}}}
    retries: {classes: {never: {match: []}}}
    message: {log_fields: job_id}
    message: {schema: text}
    message: {encoding: 5}
    suppress: [paused]
    suppress: paused
    environments: [dev]
    environments:
    environments: {dev: 3}
    environments: {dev: {work.timeout: null}}
    environments: {dev: {work.concurrency: "4"}}
"""

MISSING = """
    message: {dedup: {by: job_id}, schema: {type: object, required: [job_id]}}
    scaling: {boost: {factor: 2}}
    retries: {classes: {never: {attempts: 1}}}
    suppress: [{reason: a rebuild, until: 2030-01-01}]
    environments: {dev: {retries.classes.never.attempts: 1}}
    environments: {dev: {retries.classes.never: {attempts: 1}}}
"""

WORDS = """
    name: Media_Cluster
    name: "media cluster"
    handler: media/jobs.py:handle
    handler: media.jobs.handle
    handler: handle
    image: registry.example/Media:1.0.0
    image: registry.example/media
    image: registry.example/media:latest
    stream: {consumer: "media-{host}"}
    stream: {consumer: "media-{hostname"}
    stream: {consumer: media workers}
    stream: {key: "streams media"}
    suppress: [{rule: pausd, reason: a rebuild, until: 2030-01-01}]
    suppress: [{rule: paused, at: scaling.pausd, reason: a rebuild, until: 2030-01-01}]
    suppress: [{rule: paused, reason: a rebuild, until: tomorrow}]
"""

PUNCTUATION = """
    work: {concurrency:3}
    work: {concurrency 3}
    work: {timeout: 5s, concurrency:3, lease: 30s}
    work {concurrency: 3}
    work:{concurrency: 3}
    work:{concurrency: 3, timeout: 5s}
    work: concurrency: 3
    work: concurrency: 3, timeout: 5s
    owner: {team: media, contact: #media}
    owner: {team: media, contact: 5}
"""

SPECS = [
    line.strip()
    for table in (MISTYPED, CHOICES, QUANTITIES, TYPES, MISSING, WORDS, PUNCTUATION)
    for line in table.strip().splitlines()
]


@pytest.mark.parametrize("spec", SPECS)
def test_following_a_hint_removes_the_finding(
    spec: str, lint: Callable[[str], list[Finding]], follow: Callable[[str, Finding], str]
) -> None:
    """And it causes no other error."""
    text = complete(spec, "example")
    first, *others = [one for one in lint(text) if one.severity is Severity.ERROR]
    better = follow(text, first)
    assert [one for one in lint(better) if one.severity is Severity.ERROR] == others, better
