"""What `penstock acl` grants follows from the code: it cannot be forgotten when a script or a command is added."""

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
"""Where the code of each stands, in the package; and what it takes from `maintenance`."""

WORD = re.compile(r"[A-Z]{2,}")
STRANGE = """streams:{a*b?}[c]"d'\\e"""
OF_CONNECTIONS = {"auth", "sentinel", "role", "select", "asking", "cluster|slots"}
"""Said by a connection where it must; the last four are granted where they are."""


def files(root: Path, *places: str) -> set[Path]:
    """The modules of a role of pipelines."""
    package = root / "packages/penstock/src/penstock"
    found = {file for place in places for file in (package / place).rglob("*.py")} - {package / "operating/jobs.py"}
    new = set(found)
    while new:
        maintenance = {
            name for file in new for name in re.findall(r"from penstock\.maintenance\.(\w+)", file.read_text())
        }
        new = {package / "maintenance" / f"{name}.py" for name in maintenance} - found
        found |= new
    return found


def commands_in(target: Target, source: str) -> set[str]:
    """Real commands that stand first in a call, a tuple or a list: what might be sent."""
    found = set()
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
            found.add(command(*words))
    return found


def exists(target: Target, word: str) -> bool:
    told = target.ask("COMMAND", "INFO", word)
    return isinstance(told, list) and bool(told and told[0])


@pytest.mark.parametrize("role", PLACES, ids=str)
def test_all_that_a_role_sends_is_granted(root: Path, target: Target, role: Role) -> None:
    """Whatever stands in its modules as a command, and no more."""
    sent = {word for file in files(root, *PLACES[role]) for word in commands_in(target, file.read_text())}
    of_links = {word for file in files(root, "wire") for word in commands_in(target, file.read_text())}
    assert of_links - OF_CONNECTIONS == set(LINK)
    assert sent == set(COMMANDS[role])


@pytest.mark.parametrize("role", PLACES, ids=str)
def test_all_scripts_that_a_role_runs_are_read(root: Path, role: Role) -> None:
    """By their names in its modules."""
    text = "".join(file.read_text() for file in files(root, *PLACES[role]))
    named = {name for name in names() if re.search(rf'script\("{name}"\)', text)}
    if role is Role.WORKER:
        named |= set(re.findall(r'(?:return|_asked\()\s*"(settle|settle_with|park|bury|give_back)"', text))
    assert named == set(SCRIPTS[role])


def test_no_script_is_left_out() -> None:
    assert set().union(*SCRIPTS.values()) == set(names())


@pytest.mark.parametrize("name", names())
def test_every_call_of_a_script_is_read(target: Target, name: str) -> None:
    """None is overlooked, and each is a command that Redis has."""
    text = re.sub(r"--[^\n]*", "", script(name).text.decode())
    calls = text.count("redis.call(") + text.count("redis.pcall(")
    assert calls == len(re.findall(r"redis\.p?call\(\s*(?:'[A-Z]+'|unpack\(\w+\))", text))
    assert "redis.call" not in re.sub(r"redis\.p?call\(", "", text), "it is called, and not handed around"
    for word in called_by(name):
        container, _, _ = word.partition("|")
        assert exists(target, container)
        assert ("|" in word) == (container in CONTAINERS)


def test_rights_for_a_script_match_its_calls() -> None:
    """So that a right that is missing at night is missed here."""
    assert dict(CALLED) == {name: called_by(name) for name in names()}


def test_conditional_calls_are_made() -> None:
    for name, at_times in CONDITIONAL.items():
        for words in at_times.values():
            assert words <= called_by(name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("redis.call('GET', KEYS[1])", {"get"}),
        ("redis.pcall('XINFO', 'GROUPS', KEYS[1])", {"xinfo|groups"}),
        ("redis.call('XADD', 'KEY', '*')", {"xadd"}),
        ("local a, b = {'x', f(1, 2)}, {'XCLAIM', s}\nredis.call(unpack(b))", {"xclaim"}),
        ("local w = {'DEL'}\nw[2] = 'x'\nredis.call(unpack(w))", {"del"}),
        ("-- redis.call('FLUSHALL')\nreturn 1", set()),
    ],
)
def test_calls_are_read_as_they_are_written(monkeypatch: pytest.MonkeyPatch, text: str, found: set[str]) -> None:
    assert read(monkeypatch, text) == found


@pytest.mark.parametrize(
    "text", ["redis.call(word, 1)", "redis.call(unpack(ARGV))", "local w = f()\nredis.call(unpack(w))"]
)
def test_a_call_that_cannot_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Rather than a right that is missing at night."""
    with pytest.raises(ValueError, match="command"):
        read(monkeypatch, text)


def read(monkeypatch: pytest.MonkeyPatch, text: str) -> frozenset[str]:
    made = type(script("renew"))("made-up", text.encode(), "")
    monkeypatch.setattr("lua_commands.script", lambda _: made)
    return called_by("made-up")


def test_the_roles_that_may_be_named_are_all_there_are() -> None:
    assert roles() == acl.ROLES
    assert set(Role) | {"scheduler"} == set(acl.ROLES)


class TestPatterns:
    """A pattern is for one key, whatever is in it."""

    @pytest.mark.parametrize("key", ["a*b", "a?b", "[ab]", "a\\b", "\\", "^a", "a]", "\u732b*", STRANGE])
    def test_only_the_key_itself_fits(self, target: Target, key: str) -> None:
        others = ["aXb", "a", "b", "ab", "X", "", key + "x", "x" + key, key.replace("*", "X").replace("?", "X")]
        server = target.servers[0]
        server.ask("ACL", "SETUSER", "pattern", "reset", "on", "nopass", f"~{escaped(key)}", "+strlen")
        try:
            assert may(server.port, key)
            assert not [one for one in others if one != key and may(server.port, one)]
        finally:
            server.ask("ACL", "DELUSER", "pattern")

    def test_keys_of_other_pipelines_are_refused(self, make_cli: Callable[..., OperatorCli], target: Target) -> None:
        """Not those of one whose stream is called almost the same."""
        cli = make_cli('stream: {key: "' + STRANGE.replace("\\", "\\\\").replace('"', '\\"') + '"}')
        declare_redis(cli)
        told = cli.penstock("acl", "trial", "--json", "--role", "worker", redis="")
        rules = told.json["users"][0]["rules"]
        assert f"~{escaped(STRANGE)}" in rules
        server = target.servers[0]
        server.ask("ACL", "SETUSER", "pattern", "reset", "on", "nopass", *rules, "+strlen")
        try:
            assert may(server.port, STRANGE)
            assert not may(server.port, STRANGE.replace("*", "x"))
            assert not may(server.port, STRANGE.replace("?", "x"))
        finally:
            server.ask("ACL", "DELUSER", "pattern")


def may(port: int, key: str) -> bool:
    """Whether the user `pattern` may touch a key; a cluster's node may still say that another has it."""
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
    """What is printed is what `redis-cli` takes."""

    @pytest.mark.parametrize(
        ("word", "line"),
        [("+get", "+get"), ("~a\\*b", "~a\\*b"), ('~a"\\*', '"~a\\"\\\\*"'), ("~a'b", '"~a\'b"')],
    )
    def test_words_are_quoted_where_they_must_be(self, word: str, line: str) -> None:
        assert quoted(word) == line

    @pytest.mark.needs("redis-cli")
    def test_redis_cli_takes_them(self, make_cli: Callable[..., OperatorCli], target: Target) -> None:
        """Given twice, they change nothing; a password stays."""
        cli = make_cli('stream: {key: "' + STRANGE.replace("\\", "\\\\").replace('"', '\\"') + '"}')
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

    def test_all_pipelines_have_users_of_their_own_and_share_a_janitor(self, cli: OperatorCli) -> None:
        spec = (cli.trial.folder / "specs/trial.yaml").read_text()
        other = spec.replace("name: trial", "name: other").replace("{key: trial, group: trial}", "{key: b, group: b}")
        (cli.trial.folder / "specs/other.yaml").write_text(other)
        ran = cli.penstock("acl", "--json", redis="")
        assert ran.err == ""
        told = {one["user"]: one for one in ran.json["users"]}
        each = [f"{name}-{role}" for name in ("other", "trial") for role in ("producer", "worker", "scaler")]
        assert list(told) == [*each, "penstock-janitor", "penstock-operator"]
        assert {"~b", "~trial"} <= set(told["penstock-janitor"]["rules"])
        assert "~b" not in told["trial-worker"]["rules"]
        assert "leave SPEC out" in cli.penstock("acl", "other", redis="").err

    @pytest.mark.parametrize(("version", "reads"), [("6.2", "~trial"), ("7.0", "%R~trial"), ("8.2", "%R~trial")])
    def test_read_only_keys_are_read_only_from_redis_7_on(self, cli: OperatorCli, version: str, reads: str) -> None:
        platform = cli.trial.folder / "penstock.yaml"
        platform.write_text(platform.read_text().rstrip()[:-1] + f', versions: {{redis: "{version}"}}}}\n')
        [user] = cli.penstock("acl", "trial", "--json", "--role", "scaler", redis="").json["users"]
        assert reads in user["rules"]
        assert ("clearselectors" in user["rules"]) == (version != "6.2")

    def test_a_password_need_not_be_there(self, cli: OperatorCli, monkeypatch: pytest.MonkeyPatch) -> None:
        """Redis is not asked."""
        for name in ("REDIS_PASSWORD", "REDIS_USERNAME"):
            monkeypatch.delenv(name, raising=False)
        platform = cli.trial.folder / "penstock.yaml"
        platform.write_text(platform.read_text().replace("redis: {", "redis: {auth: {secret: redis-auth}, "))
        assert cli.penstock("acl", "trial", redis="").code == 0
