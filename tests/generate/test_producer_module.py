"""`producer.py` is valid, typed Python, and a worker reads the messages that it sends."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planned import TEMPLATES, planned
from servers import Server

from penstock.message.encoding import encoding_of
from penstock.message.unreadable import Unsendable
from penstock_generate.kinds.pipeline.producer import producer
from penstock_generate.kinds.pipeline.producer.scalar_types import SCALARS
from penstock_spec.kinds.pipeline.message.schema_check import schema_problem
from penstock_spec.kinds.pipeline.message.schema_of import schema_of

Run = Callable[..., subprocess.CompletedProcess[str]]
AWKWARD = "it's \"odd\"\n'''\\ {{ x }} \U0001f600 \u2028\x7f"


def to(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def of(**properties: object) -> dict[str, Any]:
    return {"properties": properties}


def either(inner: object) -> dict[str, Any]:
    return {"anyOf": [{"type": "array", "items": inner}, {"type": "object", "additionalProperties": inner}]}


TREE = {"type": "object"} | of(name={"type": "string"}, under={"type": "array", "items": {"$ref": "#"}})
JSON_TREE = {"$defs": {"any": {"type": "array", "items": to("any")}}} | of(a=to("any"))
FAR = {"$defs": {f"d{n}": of(next=to(f"d{n + 1}")) for n in range(400)} | {"d400": {"type": "null"}}} | of(a=to("d0"))
WIDE = {"$defs": {f"d{n}": either(to(f"d{n + 1}")) for n in range(40)} | {"d40": {"type": "string"}}} | of(a=to("d0"))
CIRCLE = {"$defs": {"a": to("b"), "b": to("a")}} | of(a=to("a"))
ANCHORED = {"$defs": {"a": {"$anchor": "here"}}} | of(a={"$ref": "#here"}, b=False, c={"not": {}})
RESERVED_NAMES = {"$defs": {"Any": of(a={}), "1": of(b={})}} | of(x=to("Any"), y=to("1"), literal=of(z={}))
SCHEMAS: dict[str, dict[str, Any]] = {
    "empty": {},
    "object": {"type": "object"},
    "typed": {
        "required": ["id", "count"],
        "properties": {
            "id": {"type": "string", "description": AWKWARD},
            "count": {"type": "integer"},
            "share": {"type": ["number", "null"]},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
            "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "description": AWKWARD,
    },
    "hostile": {
        "properties": {
            name: {"type": "string"}
            for name in (AWKWARD, "", "class", "None", "a-b", "__x", "str", "\ufb01", '"', "\\", "Message", "items")
        },
    },
    "hiding": {"properties": {"str": {"type": "integer"}, "x": {"type": "string"}, "list": {"items": {"const": 1}}}},
    "nested": of(a=of(a=of(**{"a b": {"type": "object"}})), b={"$ref": "#/properties/a"}),
    "tree": TREE,
    "json-tree": JSON_TREE,
    "far": FAR,
    "wide": WIDE,
    "circle": CIRCLE,
    "words": {"description": "Literal[NotRequired", **of(a={"type": "string", "description": "Literal["})},
    "enums": {
        "properties": {
            "mixed": {"enum": ["a", 1, True, None, -2]},
            "odd": {"enum": [AWKWARD, "]", '"']},
            "float": {"enum": [1.5, "a"]},
            "deep": {"enum": [[1], {"a": 1}]},
            "long": {"enum": [f"value {n}" for n in range(100)]},
            "one": {"const": AWKWARD},
        },
    },
    "choices": {
        "oneOf": [of(kind={"const": "a"}), of(kind={"const": "b"}, b={"type": "null"})],
    },
    "combined": {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}],
        "allOf": [{"properties": {"c": {"type": "boolean"}}, "required": ["c"]}],
    },
    "anchored": ANCHORED,
    "names": RESERVED_NAMES,
    "scalar": {"type": "string"},
}  # fmt: skip


def written(folder: Path, schema: dict[str, Any], message: dict[str, Any] | None = None) -> str:
    it = planned(folder, {"message": {"schema": schema, **(message or {})}})
    return producer(it, schema_of(it.spec, it.spec_folder), TEMPLATES).content


def loaded(text: str) -> ModuleType:
    module = ModuleType("made")
    exec(compile(text, "producer.py", "exec"), module.__dict__)  # noqa: S102 - the test is that it runs
    return module


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for each schema and encoding."""
    folder = tmp_path_factory.mktemp("modules")
    for name, schema in SCHEMAS.items():
        for form, encoding in (("json", {"json": AWKWARD.split("\n", maxsplit=1)[0]}), ("fields", "fields")):
            text = written(folder, schema, {"encoding": encoding})
            (folder / f"{name.replace('-', '_')}_{form}.py").write_text(text)
    shutil.rmtree(folder / "specs")
    return folder


MYPY = ("mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", "/dev/null")


def ran(*words: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_modules_pass_strict_mypy(modules: Path) -> None:
    code, output = ran(*MYPY, ".", folder=modules)
    assert code == 0, output
    assert f"{2 * len(SCHEMAS)} source files" in output


def test_modules_pass_ruff(modules: Path) -> None:
    code, output = ran("ruff", "check", "--isolated", "--no-cache", "--output-format", "concise", ".", folder=modules)
    assert code == 0, output


def test_modules_run_and_are_ascii(modules: Path) -> None:
    for file in sorted(modules.glob("*.py")):
        text = file.read_text()
        assert loaded(text).STREAM == "streams:pets"
        assert text.isascii()
        assert all(line.isprintable() for line in text.splitlines())


def test_types_refuse_what_the_schema_refuses(modules: Path, tmp_path: Path) -> None:
    """A real client is accepted; a missing, an unknown or a wrongly typed field is not."""
    shutil.copy(modules / "typed_json.py", tmp_path / "producer.py")
    sends = """\
import producer, redis
producer.send(redis.Redis(), {"id": "a", "count": 1, "share": None, "tags": ["a"], "limits": {"x": 1}})
producer.encode({"id": "a"})
producer.encode({"id": "a", "count": "1"})
producer.encode({"id": "a", "count": 1, "tags": ["c"]})
producer.encode({"id": "a", "count": 1, "other": 1})
"""
    (tmp_path / "sends.py").write_text(sends)
    _, output = ran(
        "mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", "/dev/null", "sends.py", folder=tmp_path
    )
    assert [line.split(":")[1] for line in output.splitlines() if ": error:" in line] == ["3", "4", "5", "6"], output


def test_a_comment_marks_types_that_are_less_precise_than_the_schema(tmp_path: Path) -> None:
    """But not types of fields that the schema does not restrict either."""
    text = written(tmp_path, {"properties": {"deep": {"enum": [[1]]}, "open": {"description": "whatever"}}})
    assert "    deep: NotRequired[Any]  # more precise than a type: see schema.json\n" in text
    assert "    open: NotRequired[Any]\n" in text


def test_the_same_schema_makes_the_same_module(tmp_path: Path) -> None:
    assert written(tmp_path, WIDE) == written(tmp_path, WIDE)


PETS = """\
import json

def handle(message):
    with open("got", "a") as file:
        file.write(json.dumps(message) + "\\n")
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.mark.parametrize(
    ("encoding", "inside"),
    [({"json": "da ta"}, {"x": [1, None, "\u732b"]}), ("fields", "\u732b")],
    ids=["json", "fields"],
)
def test_a_worker_receives_the_sent_messages(
    repository: Path, penstock: Run, server: Server, encoding: object, inside: object
) -> None:
    properties = {"id": {"type": "string"}, "count": {"type": "integer"}}
    message = {"encoding": encoding, "schema": {"required": ["id"], "properties": properties}}
    spec = {"kind": "pipeline", "name": "pets", "owner": {"team": "pets"}, "handler": "pets:handle", "image": "pets:1"}
    (repository / "specs/pets.yaml").write_text(json.dumps(spec | {"message": message}))
    (repository / "pets.py").write_text(PETS)
    assert penstock("generate").returncode == 0
    module = loaded((repository / "generated/dev/pets/producer.py").read_text())
    bodies = [{"id": AWKWARD}, {"id": "b", "count": -3, "inside": inside}]
    with redis.Redis(port=server.port) as client:
        ids = [module.send(client, body) for body in bodies]
        assert ids == [entry.decode() for entry, _ in client.xrange("streams:pets")]
    file = "generated/dev/pets/worker.json"
    done = penstock(
        "worker", file, "--redis", server.url, "--until-idle", "--listen", "off", PYTHONPATH=str(repository)
    )
    assert done.returncode == 0, done.stderr
    got = [json.loads(line) for line in (repository / "got").read_text().splitlines()]
    assert sorted(got, key=str) == sorted(bodies, key=str)  # in any order


NAMES = st.sampled_from(["a", "b", "a-b", "class", AWKWARD, "penstock-x"])
VALUES: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(-9, 9)
    | st.sampled_from(["", "a", "1", AWKWARD]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
PARTS: Any = st.recursive(
    st.sampled_from([{}, True, {"$ref": "#"}, {"$ref": "#/properties/a"}, {"type": ["string", "null"]}])
    | st.sampled_from([*SCALARS, "object", "array"]).map(lambda name: {"type": name})
    | st.lists(VALUES, min_size=1, max_size=3, unique_by=repr).map(lambda values: {"enum": values}),
    lambda inner: st.fixed_dictionaries({}, optional={
        "type": st.sampled_from(["object", "array", ["object", "null"]]),
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "items": inner,
        "additionalProperties": inner,
        "description": st.sampled_from(["", AWKWARD]),
        **{key: st.lists(inner, min_size=1, max_size=2) for key in ("anyOf", "oneOf", "allOf")},
    }),
    max_leaves=8,
)  # fmt: skip
SOME = PARTS.filter(lambda one: isinstance(one, dict) and schema_problem(one) is None)
QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


@QUICK
@given(SOME)
def test_any_schema_makes_a_module_that_runs(tmp_path: Path, schema: dict[str, Any]) -> None:
    module = loaded(written(tmp_path, schema))
    annotations = getattr(module.Message, "__annotations__", None)
    if "properties" in schema and annotations is not None and not {"enum", "const"} & schema.keys():
        assert schema["properties"].keys() <= annotations.keys()


@QUICK
@given(SOME, st.dictionaries(NAMES, VALUES, max_size=3), st.booleans())
def test_the_module_encodes_like_penstock(tmp_path: Path, schema: dict[str, Any], body: Any, flat: bool) -> None:  # noqa: ANN401, FBT001 - drawn
    """To the byte; and it refuses what Penstock refuses, except for violations of the schema."""
    message = {"encoding": "fields" if flat else {"json": "data"}, "max_size": "100"}
    it = planned(tmp_path, {"message": {"schema": schema, **message}})
    module = loaded(producer(it, schema_of(it.spec, it.spec_folder), TEMPLATES).content)
    try:
        fields = encoding_of(it.spec.message, schema).write(body)
    except Unsendable as error:
        if error.reason != "schema":
            with pytest.raises(ValueError, match=r"."):
                module.encode(body)
        return
    encoded = [one for name, value in module.encode(body).items() for one in (name.encode(), value)]
    assert encoded == fields
