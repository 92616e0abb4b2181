"""The granted rights follow from the code: a new script or command without a right fails a test."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import hiredis
import pytest
from lua_commands import CONTAINERS, called_by, command
from lua_keys import names
from operator_cli import OperatorCli
from raw_client import RawClient
from redis_users import PASSWORD, declare_redis
from targets import Target

from penstock.command import acl
from penstock.embedded import LOOPBACK
from penstock.scripts import script
from penstock_spec.kinds.pipeline.rights.roles import COMMANDS, CONDITIONAL, SCRIPTS, Role
from penstock_spec.kinds.pipeline.rights.scripts import CALLED
from penstock_spec.rights.connection import LINK
from penstock_spec.rights.keys import escaped
from penstock_spec.rights.users import quoted, roles

PLACES = {
    Role.WORKER: ("worker", "pod"),
    Role.PRODUCER: ("producer",),
    Role.JANITOR: ("janitor", "pod"),
    Role.OPERATOR: ("operating", "producer"),
}
"""The packages of each role; `files` adds the modules of `maintenance` that they import."""

WORD = re.compile(r"[A-Z]{2,}")
AWKWARD = """streams:{a*b?}[c]"d'\\e"""
OF_CONNECTIONS = {"auth", "sentinel", "role", "select", "asking", "cluster|slots"}
"""Commands that a connection sends only when needed; the last four are granted where they are needed."""


def files(root: Path, *places: str) -> set[Path]:
    """The modules of a role of pipelines."""
    package = root / "packages/penstock/src/penstock"
    modules = {file for place in places for file in (package / place).rglob("*.py")} - {package / "operating/jobs.py"}
    new = set(modules)
    while new:
        maintenance = {
            name for file in new for name in re.findall(r"from penstock\.maintenance\.(\w+)", file.read_text())
        }
        new = {package / "maintenance" / f"{name}.py" for name in maintenance} - modules
        modules |= new
    return modules


def commands_in(target: Target, source: str) -> set[str]:
    """Real commands at the start of a call, a tuple or a list: the commands that the code may send."""
    commands = set()
    for node in ast.walk(ast.parse(source)):
        parts = (
            node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
        )
        words = []
        for part in parts[:2]:
            if not (isinstance(part, ast.Constant) and isinstance(part.value, str) and WORD.fullmatch(part.value)):
                break
            words.append(part.value)
        if words and exists(target, words[0]):
            commands.add(command(*words))
    return commands


def exists(target: Target, word: str) -> bool:
    info = target.ask("COMMAND", "INFO", word)
    return isinstance(info, list) and bool(info and info[0])


@pytest.mark.parametrize("role", PLACES, ids=str)
def test_a_role_may_send_exactly_the_commands_of_its_code(root: Path, target: Target, role: Role) -> None:
    sent = {word for file in files(root, *PLACES[role]) for word in commands_in(target, file.read_text())}
    of_links = {word for file in files(root, "wire") for word in commands_in(target, file.read_text())}
    assert of_links - OF_CONNECTIONS == set(LINK)
    assert sent == set(COMMANDS[role])


@pytest.mark.parametrize("role", PLACES, ids=str)
def test_a_role_has_exactly_the_scripts_of_its_code(root: Path, role: Role) -> None:
    """The names of the scripts are found in its modules."""
    text = "".join(file.read_text() for file in files(root, *PLACES[role]))
    scripts = {name for name in names() if re.search(rf'script\("{name}"\)', text)}
    if role is Role.WORKER:
        scripts |= set(re.findall(r'(?:return|_asked\()\s*"(settle|settle_with|park|bury|give_back|recover)"', text))
    assert scripts == set(SCRIPTS[role])


def test_every_script_has_a_role() -> None:
    assert set().union(*SCRIPTS.values()) == set(names())


@pytest.mark.parametrize("name", names())
def test_every_call_of_a_script_is_parsed(target: Target, name: str) -> None:
    """Each call is a command that Redis has."""
    text = re.sub(r"--[^\n]*", "", script(name).text.decode())
    calls = text.count("redis.call(") + text.count("redis.pcall(")
    assert calls == len(re.findall(r"redis\.p?call\(\s*(?:'[A-Z]+'|unpack\(\w+\))", text))
    assert "redis.call" not in re.sub(r"redis\.p?call\(", "", text), "`redis.call` is only called, never passed on"
    for word in called_by(name):
        container, _, _ = word.partition("|")
        assert exists(target, container)
        assert ("|" in word) == (container in CONTAINERS)


def test_rights_for_a_script_match_its_calls() -> None:
    """So that a missing right fails here and not in production."""
    assert dict(CALLED) == {name: called_by(name) for name in names()}


def test_a_script_makes_its_conditional_calls() -> None:
    for name, calls in CONDITIONAL.items():
        for words in calls.values():
            assert words <= called_by(name)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("redis.call('GET', KEYS[1])", {"get"}),
        ("redis.pcall('XINFO', 'GROUPS', KEYS[1])", {"xinfo|groups"}),
        ("redis.call('XADD', 'KEY', '*')", {"xadd"}),
        ("local a, b = {'x', f(1, 2)}, {'XCLAIM', s}\nredis.call(unpack(b))", {"xclaim"}),
        ("local w = {'DEL'}\nw[2] = 'x'\nredis.call(unpack(w))", {"del"}),
        ("-- redis.call('FLUSHALL')\nreturn 1", set()),
    ],
)
def test_calls_are_parsed_from_the_text(monkeypatch: pytest.MonkeyPatch, text: str, calls: set[str]) -> None:
    assert read(monkeypatch, text) == calls


@pytest.mark.parametrize(
    "text", ["redis.call(word, 1)", "redis.call(unpack(ARGV))", "local w = f()\nredis.call(unpack(w))"]
)
def test_a_call_that_cannot_be_parsed_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Otherwise its right would be missing in production."""
    with pytest.raises(ValueError, match="command"):
        read(monkeypatch, text)


def read(monkeypatch: pytest.MonkeyPatch, text: str) -> frozenset[str]:
    made = type(script("renew"))("made-up", text.encode(), "")
    monkeypatch.setattr("lua_commands.script", lambda _: made)
    return called_by("made-up")


def test_the_role_option_accepts_every_role() -> None:
    assert roles() == acl.ROLES
    assert set(Role) | {"scheduler"} == set(acl.ROLES)


class TestPatterns:
    """A pattern matches one key only, whatever characters it has."""

    @pytest.mark.parametrize("key", ["a*b", "a?b", "[ab]", "a\\b", "\\", "^a", "a]", "\u732b*", AWKWARD])
    def test_only_the_key_itself_matches(self, target: Target, key: str) -> None:
        others = ["aXb", "a", "b", "ab", "X", "", key + "x", "x" + key, key.replace("*", "X").replace("?", "X")]
        server = target.servers[0]
        server.ask("ACL", "SETUSER", "pattern", "reset", "on", "nopass", f"~{escaped(key)}", "+strlen")
        try:
            assert may(server.port, key)
            assert not [one for one in others if one != key and may(server.port, one)]
        finally:
            server.ask("ACL", "DELUSER", "pattern")

    def test_keys_of_other_pipelines_are_refused(self, make_cli: Callable[..., OperatorCli], target: Target) -> None:
        """Nor may a user touch a stream with a similar name."""
        cli = make_cli('stream: {key: "' + AWKWARD.replace("\\", "\\\\").replace('"', '\\"') + '"}')
        declare_redis(cli)
        output = cli.penstock("acl", "trial", "--json", "--role", "worker", redis="")
        rules = output.json["users"][0]["rules"]
        assert f"~{escaped(AWKWARD)}" in rules
        server = target.servers[0]
        server.ask("ACL", "SETUSER", "pattern", "reset", "on", "nopass", *rules, "+strlen")
        try:
            assert may(server.port, AWKWARD)
            assert not may(server.port, AWKWARD.replace("*", "x"))
            assert not may(server.port, AWKWARD.replace("?", "x"))
        finally:
            server.ask("ACL", "DELUSER", "pattern")


def may(port: int, key: str) -> bool:
    """Whether the user `pattern` may touch a key; a node of a cluster may still redirect to another."""
    raw = RawClient(LOOPBACK, port)
    try:
        raw.ask("AUTH", "pattern", "any")
        raw.ask("STRLEN", key)
    except hiredis.ReplyError as error:
        return not str(error).startswith("NOPERM")
    finally:
        raw.close()
    return True


class TestLines:
    """`redis-cli` accepts the printed lines."""

    @pytest.mark.parametrize(
        ("word", "line"),
        [("+get", "+get"), ("~a\\*b", "~a\\*b"), ('~a"\\*', '"~a\\"\\\\*"'), ("~a'b", '"~a\'b"')],
    )
    def test_words_with_special_characters_are_quoted(self, word: str, line: str) -> None:
        assert quoted(word) == line

    @pytest.mark.needs("redis-cli")
    def test_redis_cli_accepts_the_lines(self, make_cli: Callable[..., OperatorCli], target: Target) -> None:
        """A second time changes nothing, and a password stays."""
        cli = make_cli('stream: {key: "' + AWKWARD.replace("\\", "\\\\").replace('"', '\\"') + '"}')
        declare_redis(cli)
        lines = cli.penstock("acl", "trial", "--user-prefix", "cli-", redis="").out
        server = target.servers[0]
        users = [line.split()[2] for line in lines.splitlines()]
        roles = ("trial-producer", "trial-worker", "trial-scaler", "penstock-janitor", "penstock-operator")
        assert users == [f"cli-{name}" for name in roles]
        redis_cli = ["redis-cli", "-p", str(server.port)]
        if server.password:
            redis_cli += ["-a", server.password, "--no-auth-warning"]
        try:
            first = subprocess.run(redis_cli, input=lines, text=True, capture_output=True, check=True)
            assert first.stdout.split() == ["OK"] * 5
            server.ask("ACL", "SETUSER", users[0], "on", f">{PASSWORD}")
            before = [server.ask("ACL", "GETUSER", user) for user in users]
            subprocess.run(redis_cli, input=lines, text=True, capture_output=True, check=True)
            assert [server.ask("ACL", "GETUSER", user) for user in users] == before
            for one in cli.penstock("acl", "trial", "--json", "--user-prefix", "cli-", redis="").json["users"]:
                server.ask("ACL", "DELUSER", "words")
                server.ask("ACL", "SETUSER", "words", *one["rules"])
                for user in (one["user"], "words"):
                    server.ask("ACL", "SETUSER", user, "resetpass", "off")
                assert server.ask("ACL", "GETUSER", one["user"]) == server.ask("ACL", "GETUSER", "words")
        finally:
            server.ask("ACL", "DELUSER", "words", *users)

    def test_each_pipeline_has_its_own_users_and_shares_the_janitor(self, cli: OperatorCli) -> None:
        spec = (cli.trial.folder / "specs/trial.yaml").read_text()
        other = spec.replace("name: trial", "name: other").replace("{key: trial, group: trial}", "{key: b, group: b}")
        (cli.trial.folder / "specs/other.yaml").write_text(other)
        ran = cli.penstock("acl", "--json", redis="")
        assert ran.err == ""
        users = {one["user"]: one for one in ran.json["users"]}
        own_users = [f"{name}-{role}" for name in ("other", "trial") for role in ("producer", "worker", "scaler")]
        assert list(users) == [*own_users, "penstock-janitor", "penstock-operator"]
        assert {"~b", "~trial"} <= set(users["penstock-janitor"]["rules"])
        assert "~b" not in users["trial-worker"]["rules"]
        assert "leave SPEC out" in cli.penstock("acl", "other", redis="").err

    @pytest.mark.parametrize(("version", "reads"), [("6.2", "~trial"), ("7.0", "%R~trial"), ("8.2", "%R~trial")])
    def test_read_only_keys_are_read_only_from_redis_7_on(self, cli: OperatorCli, version: str, reads: str) -> None:
        platform = cli.trial.folder / "penstock.yaml"
        platform.write_text(platform.read_text().rstrip()[:-1] + f', versions: {{redis: "{version}"}}}}\n')
        [user] = cli.penstock("acl", "trial", "--json", "--role", "scaler", redis="").json["users"]
        assert reads in user["rules"]
        assert ("clearselectors" in user["rules"]) == (version != "6.2")

    def test_it_needs_no_password(self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch) -> None:
        """It does not connect to Redis."""
        for name in ("REDIS_PASSWORD", "REDIS_USERNAME"):
            monkeypatch.delenv(name, raising=False)
        platform = cli.trial.folder / "penstock.yaml"
        platform.write_text(platform.read_text().replace("redis: {", "redis: {auth: {secret: redis-auth}, "))
        assert cli.penstock("acl", "trial", redis="").code == 0
