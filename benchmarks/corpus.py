"""Generates different specs as teams write them, with every section, overrides and comments; reproducibly."""

from __future__ import annotations

from pathlib import Path
from random import Random

PLATFORM = """\
kind: platform
environments:
  dev:
    namespace: dev
    redis: {addresses: ["redis.dev.svc:6379"]}
    routes: {default: {slack: "#dev"}}
  staging:
    namespace: staging
    redis: {addresses: ["redis.staging.svc:6379"]}
    routes: {default: {slack: "#staging"}}
  production:
    namespace: production
    redis: {addresses: ["redis.production.svc:6379"], tls: true, auth: {secret: redis-auth}}
    routes: {default: {slack: "#alerts", pagerduty: pagerduty-key}}
defaults:
  janitor.trim.every: 2h
"""

SPEC = """\
# yaml-language-server: $schema=../generated/schemas/pipeline.schema.json
# The {words} pipeline of the {team} team. Ask in the channel below before renaming the stream.
kind: pipeline
name: {name}
owner: {{team: {team}, contact: "#{team}-oncall"}}
handler: {team}.{module}:handle_{module}     # module:function
image: registry.example/{team}/{module}:{major}.{minor}.{patch}

stream:
  key: streams:{team}.{name}
  group: {name}-workers
  consumer: "{name}-{{hostname}}"
  retention: {{keep: until-done}}          # finished messages are deleted
  backlog: {{limit: {limit}, when_full: {when_full}}}

message:
  encoding: {{json: data}}
  schema:
    type: object
    required: [job_id, {field}]
    properties:
      job_id: {{type: string, minLength: 1}}
      {field}: {{type: string, format: uuid}}
      image_ids: {{type: array, items: {{type: string}}, maxItems: {items}}}
      reason: {{type: string}}
      force: {{type: boolean}}
      quality_score: {{type: number, minimum: 0, maximum: 1}}
  max_size: {size}Ki
  correlate: job_id
  log_fields: [job_id, {field}]
  dedup: {{by: job_id, window: {window}h}}

send: {{attempts: {attempts}, backoff: {{first: 500ms, factor: 2}}}}

work:
  concurrency: {concurrency}
  block: 5s
  timeout: {timeout}s                      # per attempt
  lease: 30s
  max_pending_per_worker: {pending}

retries:
  attempts: {attempts}
  backoff: {{first: 1s, factor: 2, limit: 5m, jitter: 0.1}}
  classes:
    forbidden: {{match: [PermissionError, "403"], backoff: {{first: 30m, factor: 1, limit: 30m}}}}
    never: {{match: [ValueError], attempts: 1}}

dead_letter: {{keep: {keep}d}}

scaling:
  replicas: {{min: 0, max: {most}}}
  backlog_per_replica: {per_replica}
  poll: 5s
  cooldown: 3m
  scale_down: {{window: 5m, at_most: {{pods: 2, per: 1m}}}}
  boost: {{when_older_than: 30s, factor: 2}}

shutdown: {{grace: {grace}s, margin: 10s, progress: 15s}}
janitor: {{ghosts: {{idle: 35m, every: 1h}}}}
resources: {{cpu: {cpu}m, memory: {memory}Mi}}
alerts: {{backlog_age: {age}m, dead_letters: 1}}

environments:
  dev: {{stream.backlog.limit: {small}, work.max_pending_per_worker: {pending_dev}, scaling.replicas.max: 2}}
  staging: {{scaling.replicas.max: 4, alerts.backlog_age: 30m}}
  production:
    resources.memory: {memory_production}Mi
    stream.backlog.limit: {large}
"""

TEAMS = ("media", "search", "billing", "identity", "ledger", "maps", "mail", "feeds", "risk", "catalogue")
WORDS = (
    "cluster",
    "resize",
    "index",
    "charge",
    "notify",
    "export",
    "match",
    "scan",
    "merge",
    "enrich",
    "score",
    "purge",
)


def write(root: Path, count: int) -> int:
    """Write a repository with specs; returns their size in bytes."""
    (root / "specs").mkdir(parents=True)
    (root / "penstock.yaml").write_text(PLATFORM)
    random, written = Random(2026), 0  # noqa: S311 - reproducible on purpose
    for number in range(count):
        written += (root / "specs" / f"{number:04}.yaml").write_text(one(random, number))
    return written


def one(random: Random, number: int) -> str:
    """One spec."""
    words = random.sample(WORDS, 2)
    concurrency, timeout = random.choice([4, 8, 16, 32]), random.choice([20, 30, 45, 60])
    return SPEC.format(
        words=" ".join(words),
        name=f"{words[0]}-{words[1]}-{number}",
        team=random.choice(TEAMS),
        module=f"{words[0]}_{words[1]}",
        major=random.randint(0, 9),
        minor=random.randint(0, 30),
        patch=random.randint(0, 99),
        limit=random.randint(50, 100) * 10_000,
        when_full=random.choice(["reject", "wait"]),
        field=random.choice(["pet_id", "order_id", "user_id", "document_id"]),
        items=random.randint(10, 500),
        size=random.choice([64, 128]),
        window=random.randint(12, 48),
        attempts=random.randint(3, 6),
        concurrency=concurrency,
        timeout=timeout,
        pending=random.choice([128, 256, 512]),
        pending_dev=64,
        keep=random.randint(7, 30),
        most=random.randint(5, 40),
        per_replica=concurrency * random.randint(1, 4),
        grace=timeout + random.randint(15, 60),
        cpu=random.choice([100, 250, 500]),
        memory=random.choice([256, 512]),
        memory_production=random.choice([512, 1024]),
        age=random.randint(2, 15),
        small=10_000,
        large=random.randint(1, 5) * 1_000_000,
    )
