"""`runbook.md`: a section for each alert, commands that work unchanged, and no text of a spec becomes markup."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from planned import TEMPLATES, planned
from servers import Server

from penstock.command import app
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.pipeline import emit
from penstock_generate.kinds.pipeline.alerts import Alert, PipelineSources, alerts
from penstock_generate.own_templates import BUILT_IN
from penstock_spec.kinds.pipeline.keys import PipelineKeys
from penstock_spec.kinds.pipeline.rights.roles import Role, commands_of

NASTY = "`a` 'b' \"c\" {{ d }} --- | <b>e</b> [f](g) # h $(i) \\ ```"
NASTY_KEY = "`a`'b'\"c\"---|<b>e</b>[f](g)#h$(i)\\```*"
NASTY_SPEC = {
    "owner": {"team": "pets", "contact": NASTY},
    "stream": {"key": NASTY_KEY, "group": NASTY_KEY},
    "dead_letter": {"key": f"{NASTY_KEY}{{dead}}"},
    "message": {"dedup": {"by": NASTY, "window": "1h"}},
}
SPECS: dict[str, dict[str, Any]] = {
    "plain": {},
    "wait": {"stream": {"backlog": {"when_full": "wait"}}},
    "drop": {"stream": {"backlog": {"when_full": "drop-oldest", "lossy": True}}},
    "history": {"stream": {"retention": {"keep": {"age": "7d"}}}, "janitor": {"ghosts": {"dry_run": True}}},
    "fixed": {"scaling": {"replicas": {"min": 3, "max": 3}, "fallback": {"replicas": 3}}},
    "tagged": {"stream": {"key": "a{b}c"}, "work": {"on_timeout": "finish"}},
    "paused": {"scaling": {"paused": True, "fallback": None}, "shutdown": {"sidecar_quit_url": "http://127.0.0.1/q"}},
    "nasty": NASTY_SPEC,
}
ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "secret": {
        "redis": {
            "addresses": ["[::1]:6380"],
            "tls": True,
            "database": 3,
            "auth": {"secret": "redis-auth", "username": NASTY, "password_key": NASTY},
        }
    },
    "cluster": {"redis": {"addresses": ["a:1", "b:2"], "topology": "cluster"}},
    "sentinel": {"redis": {"addresses": ["a:1"], "topology": "sentinel", "master": NASTY}},
}
SHAPES = [(spec, around) for spec in SPECS for around in ENVIRONMENTS]


@pytest.fixture(params=SHAPES, ids="-".join)
def it(request: pytest.FixtureRequest, tmp_path: Path) -> PlannedSpec:
    spec, around = request.param
    return planned(tmp_path, SPECS[spec], ENVIRONMENTS[around])


def file(it: PlannedSpec, name: str) -> str:
    return next(one.content for one in emit(it, TEMPLATES).artifacts if one.path.endswith(f"/{name}"))


def page(it: PlannedSpec) -> str:
    return file(it, "runbook.md")


def alerts_of(it: PlannedSpec) -> list[Alert]:
    return alerts(it.spec, PipelineSources.of(it.around.namespace, it.name))


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", outside_of_code(text), re.MULTILINE)


def outside_of_code(text: str) -> str:
    return re.sub(r"^```sh\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Every line of every block."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_each_alert_has_its_section(it: PlannedSpec) -> None:
    names = [alert.name for alert in alerts_of(it)]
    anchors = headings(page(it))
    assert [one for one in anchors if one.startswith("Penstock")] == names
    assert len(set(map(str.lower, anchors))) == len(anchors), "each anchor is unique"


def test_each_section_is_of_an_alert(tmp_path: Path) -> None:
    """With steps that the alert itself does not have."""
    limited = {"work": {"max_pending_per_worker": 64}}
    known = {one.name for spec in (*SPECS.values(), limited) for one in alerts_of(planned(tmp_path, spec))}
    files = {file.name.removesuffix(".md.j2"): file for file in (BUILT_IN / "pipeline/runbook").iterdir()}
    assert files.keys() - {"cases"} == known
    for name in known:
        text = files[name].read_text()
        assert text.count("```") == 2
        assert "\n1. " in text or "](#" in text


def test_links_of_alerts_lead_to_their_sections(tmp_path: Path) -> None:
    it = planned(tmp_path, {}, {"runbooks": "https://runbooks.example"})
    anchors = {one.lower() for one in headings(page(it))}
    for rule in yaml.safe_load(file(it, "rules.yaml"))["groups"][1]["rules"]:
        address, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert address == "https://runbooks.example/dev/pets/runbook.md"
        assert anchor in anchors


def test_internal_links_work(it: PlannedSpec) -> None:
    text = page(it)
    anchors = {one.lower().replace(" ", "-") for one in headings(text)}
    links = set(re.findall(r"\]\(#([a-z-]+)\)", text))
    assert len(links) > 15
    assert links <= anchors


def test_sections_have_the_expressions_of_the_alerts(it: PlannedSpec) -> None:
    text = page(it)
    for alert in alerts_of(it):
        section = text.split(f"## {alert.name}\n")[1].split("\n## ")[0]
        assert " ".join(alert.expression.split()) in section
    assert f"`{it.spec.alerts.backlog_age}` (`alerts.backlog_age`)" in text
    assert f"| {it.spec.stream.backlog.limit}, then " in text


def test_commands_of_penstock_are_valid(it: PlannedSpec) -> None:
    """The command itself parses their verbs, options and arguments."""
    lines = [shlex.split(line) for line in commands(page(it)) if line.startswith("penstock ")]
    assert len(lines) > 20
    for words in lines:
        assert parsed(words).params["environment"] == it.environment


def test_commands_in_the_pod_of_the_janitor_are_valid(it: PlannedSpec) -> None:
    """They name the worker file or the folder that its Deployment mounts."""
    inside = [line.partition(" -- ")[2] for line in commands(page(it)) if " exec deployment/penstock-janitor " in line]
    status, janitor = map(parsed, map(shlex.split, inside))
    assert status.params["specs"] == (Path(f"/etc/penstock/pipelines/{it.name}.json"),)
    assert janitor.params["files"] == (Path("/etc/penstock/pipelines"),)
    assert janitor.params["dry_run"]


def parsed(words: list[str]) -> click.Context:
    """The options and arguments of a command, as the command itself reads them."""
    command: click.Command = app
    rest = words[1:]
    context = click.Context(app, info_name="penstock", **app.context_settings)
    while isinstance(command, click.Group):
        verb = command.get_command(context, rest.pop(0))
        assert verb is not None, words
        command = verb
    parsed = command.make_context(command.name, rest, parent=context)
    assert parsed.args == []
    return parsed


@pytest.mark.parametrize(("grace", "is_too_short"), [("69s", True), ("70s", False)])
def test_a_grace_period_is_blamed_only_if_it_is_too_short(tmp_path: Path, grace: str, is_too_short: bool) -> None:  # noqa: FBT001 - a case
    """`grace-shorter-than-timeout` refuses such a spec unless it suppresses the rule."""
    spec = {"work": {"timeout": "60s"}, "shutdown": {"grace": grace, "margin": "10s"}}
    section = page(planned(tmp_path, spec)).split("## PenstockDrainCutOff\n")[1].split("\n## ")[0]
    assert ("raise `shutdown.grace`" in section) == is_too_short
    assert ("On paper the grace period is long enough" in section) != is_too_short


def test_numbers_may_be_1(tmp_path: Path) -> None:
    """No noun in the plural follows a 1."""
    replicas = {"replicas": {"max": 1}, "backlog_per_replica": 1, "fallback": {"replicas": 1}}
    limits = {"work": {"concurrency": 1}, "retries": {"attempts": 1}, "alerts": {"dead_letters": 1}}
    text = page(planned(tmp_path, {"scaling": replicas, **limits}))
    assert not re.findall(r"(?<![\d.])1`? (?:pods|messages|slots|attempts)\b", text)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def test_commands_of_redis_are_valid(it: PlannedSpec, server: Server) -> None:
    """A server accepts each unchanged, and every key is one of the pipeline's."""
    server.flush()
    keys = PipelineKeys.of(it.spec)
    server.ask("XGROUP", "CREATE", keys.stream, keys.group, "0", "MKSTREAM")
    lines = [line for line in commands(page(it)) if line.startswith("redis-cli ")]
    assert len(lines) > 30
    used_keys = set()
    for line in lines:
        words = list(after_options(shlex.split(line)))
        server.ask(*words)
        used_keys |= {words[at] for at in PLACES.get(words[0], ())}
    of_keys = {keys.stream, keys.group, keys.dead, keys.parked, keys.delayed, keys.alive}
    assert used_keys == of_keys


PLACES = {
    **dict.fromkeys(("XLEN", "ZCARD", "ZRANGE", "XREVRANGE"), (1,)),
    "XINFO": (2,),
    "XPENDING": (1, 2),
}
"""The positions of keys and groups; other commands have none."""


def after_options(words: list[str]) -> Iterator[str]:
    left = iter(words[1:])
    for word in left:
        if word in {"-h", "-p", "-n", "--user"}:
            next(left)
        elif word not in {"--tls", "-c"}:
            yield word
            yield from left


def test_an_operator_may_run_the_commands_of_inspect(tmp_path: Path) -> None:
    """They need only the rights of `penstock-operator`."""
    it = planned(tmp_path, {})
    granted = commands_of(Role.OPERATOR, it.spec, it.around.redis)
    inspect_section = page(it).split("## Inspect")[1].split("# Alerts")[0]
    for line in (one for one in commands(inspect_section) if one.startswith("redis-cli ")):
        first, second, *_ = after_options(shlex.split(line))
        assert f"{first}|{second}".lower() in granted or first.lower() in granted


@pytest.mark.parametrize("around", ["secret", "sentinel"])
def test_texts_of_a_spec_are_escaped(tmp_path: Path, around: str) -> None:
    """The lines, headings and blocks are the same as with harmless texts; texts are unchanged only in code."""
    nasty = page(planned(tmp_path, NASTY_SPEC, ENVIRONMENTS[around]))
    calm = page(planned(tmp_path, calmed(NASTY_SPEC), calmed(ENVIRONMENTS[around])))
    assert len(nasty.splitlines()) == len(calm.splitlines())
    assert headings(nasty) == headings(calm)
    assert [line[:9] for line in commands(nasty)] == [line[:9] for line in commands(calm)]
    prose = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside_of_code(nasty))
    assert not re.search(r"(?<!\\)[<>`]|(?<!\\)\{\{|\[f\]\(g\)", prose)
    assert "\\<b\\>e\\</b\\>" in prose
    for line in commands(nasty):
        assert "\n" not in line
        shlex.split(line)


def calmed(value: Any) -> Any:  # noqa: ANN401 - of any shape
    if isinstance(value, dict):
        return {key: calmed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [calmed(one) for one in value]
    return value.replace(NASTY, "calm").replace(NASTY_KEY, "calm") if isinstance(value, str) else value


def test_a_shell_reads_every_command(it: PlannedSpec) -> None:
    """Every line runs penstock, redis-cli or kubectl, or sets up what they need."""
    for line in commands(page(it)):
        assert re.match(
            r"(penstock|redis-cli|kubectl|export (REDISCLI_AUTH|REDIS_PASSWORD)=|set -- |REDIS_HOST=)", line
        ), line
        assert shlex.split(line)
