"""`Producer.of` reads a spec file and the platform file of its repository."""

from pathlib import Path

import pytest
from event_loop import run_async
from sending import entries
from targets import Target

from penstock.producer import NotAsDescribed, Producer, Sent, SyncProducer, TooLarge
from penstock_spec.findings import CannotGoOn

PLATFORM = """\
kind: platform
environments:
  dev: {namespace: tests, redis: {addresses: ["127.0.0.1:1"]}}
  production: {namespace: tests, redis: {addresses: ["127.0.0.1:1"], auth: {secret: redis-auth}}}
"""
SPEC = """\
kind: pipeline
name: trial
owner: {team: tests}
handler: handlers:handle
image: registry.example/trial:1.0.0
stream: {key: jobs}
message: {schema: {model: "models:Job"}}
environments:
  production: {message.max_size: 20}
"""
SCHEMA = '{"type": "object", "required": ["job"], "properties": {"job": {"type": "string"}}}'


@pytest.fixture
def spec(tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a repository, and set the environment variables of a pod."""
    for name, value in target.environ().items():
        monkeypatch.setenv(name, value)
    if target.redis.auth and target.redis.auth.username:
        monkeypatch.setenv("REDIS_USERNAME", target.redis.auth.username)
    (tmp_path / "penstock.yaml").write_text(PLATFORM)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "trial.message.json").write_text(SCHEMA)
    file = tmp_path / "specs" / "trial.yaml"
    file.write_text(SPEC)
    return file


def test_a_producer_reads_a_spec_by_its_path(spec: Path, target: Target) -> None:
    """It uses the schema next to the spec; `redis_url` replaces the Redis of the platform file."""

    async def scenario() -> None:
        async with Producer.of(spec, env="dev", redis_url=target.url) as producer:
            assert isinstance(await producer.send({"job": "long enough for one environment only"}), Sent)
            with pytest.raises(NotAsDescribed):
                await producer.send({"job": 5})

    run_async(scenario())
    assert len(entries(target)) == 1


def test_overrides_of_the_environment_apply(spec: Path, target: Target) -> None:
    """The limit of `production` refuses a body that `dev` accepts."""
    with SyncProducer.of(str(spec), env="production", redis_url=target.url) as producer:
        with pytest.raises(TooLarge, match=r"more than `message\.max_size` \(20\)"):
            producer.send({"job": "long enough for one environment only"})
        producer.send({"job": "short"})
    assert len(entries(target)) == 1


def test_env_is_optional_if_there_is_only_one(spec: Path, target: Target) -> None:
    """With several environments, it is required."""
    with pytest.raises(CannotGoOn, match="several environments"):
        Producer.of(spec, redis_url=target.url)
    platform = spec.parent.parent / "other.yaml"
    platform.write_text("\n".join(PLATFORM.splitlines()[:3]))
    spec.write_text(SPEC.partition("environments")[0])
    with SyncProducer.of(spec, platform=platform, redis_url=target.url) as producer:
        producer.send({"job": "a"})


def test_env_can_come_from_the_process_environment(spec: Path, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """PENSTOCK_ENV names it, as for every command; without it, the hint shows how a program names it."""
    with pytest.raises(CannotGoOn) as several:
        Producer.of(spec, redis_url=target.url)
    assert several.value.hint == 'choose one with `env="..."`, or set `PENSTOCK_ENV`'
    monkeypatch.setenv("PENSTOCK_ENV", "production")
    with SyncProducer.of(spec, redis_url=target.url) as producer, pytest.raises(TooLarge):
        producer.send({"job": "long enough for one environment only"})
    with SyncProducer.of(spec, env="dev", redis_url=target.url) as producer:
        producer.send({"job": "long enough for one environment only"})


def test_an_unknown_environment_is_reported_with_its_variable(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable may have been set long ago; an argument is in the call."""
    monkeypatch.setenv("PENSTOCK_ENV", "nope")
    with pytest.raises(CannotGoOn, match=r"no environment `nope` \(from `PENSTOCK_ENV`\)$"):
        Producer.of(spec)
    with pytest.raises(CannotGoOn, match=r"no environment `nope`$"):
        Producer.of(spec, env="nope")


def test_a_spec_with_errors_makes_no_producer(spec: Path) -> None:
    """The error shows the first finding with its place, and the number of others."""
    spec.write_text(SPEC.replace("stream: {key: jobs}", "stream: {key: jobs, gruop: crew}\nwork: {lease: soon}"))
    with pytest.raises(CannotGoOn, match=r"trial\.yaml:6:21: `gruop` .*, and 1 more$"):
        Producer.of(spec, env="dev")


def test_a_missing_secret_fails_at_once(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not wait for the first send."""
    monkeypatch.delenv("REDIS_PASSWORD", raising=False)
    with pytest.raises(CannotGoOn, match="password"):
        SyncProducer.of(spec, env="production")


def test_a_missing_file_is_named_in_the_error(spec: Path) -> None:
    """The error is that of any command."""
    with pytest.raises(CannotGoOn, match=r"nothing\.yaml"):
        Producer.of(spec.parent / "nothing.yaml", env="dev")


def test_a_file_of_another_kind_is_refused(spec: Path) -> None:
    """An example is the platform file itself."""
    with pytest.raises(CannotGoOn):
        Producer.of(spec.parent.parent / "penstock.yaml", env="dev")
