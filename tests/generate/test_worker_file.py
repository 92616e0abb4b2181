"""A pod runs what was generated, or says why not."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from penstock.resolved import resolve
from penstock_spec import worker_file
from penstock_spec.findings import CannotGoOn

DAY = date(2026, 1, 1)


@pytest.fixture
def text(root: Path) -> str:
    [it] = resolve([root / "specs/media-cluster.yaml"], None, "production", root, DAY).pipelines
    return worker_file.write("production", it.spec, it.around, {"type": "object"})[0]


def changed(text: str, **values: Any) -> bytes:  # noqa: ANN401 - whatever JSON holds
    return json.dumps(json.loads(text) | values).encode()


def test_it_reads_back_to_the_same(root: Path) -> None:
    """For every spec of the repository, in every environment; and is written the same again.

    What only the infrastructure is to know of Redis is not in it.
    """
    for environment in ("dev", "production"):
        for it in resolve([], None, environment, root, DAY).pipelines:
            text, digest = worker_file.write(environment, it.spec, it.around, {"type": "object"})
            read = worker_file.read(text.encode(), "worker.json")
            assert read.digest == digest
            assert read.around.redis == it.around.redis.model_copy(update={"memory": None, "ports": []})
            assert worker_file.write(environment, read.spec, read.around, read.schema) == (text, digest)


def test_its_layout_does_not_matter(text: str) -> None:
    """A tool on the way may write the same content otherwise."""
    told = json.loads(text)
    assert worker_file.read(json.dumps(dict(reversed(told.items()))).encode(), "worker.json").digest == told["digest"]


@pytest.mark.parametrize(
    ("field", "value", "restarts"),
    [
        ("work.concurrency", 17, True),
        ("stream.backlog.limit", 5, True),
        ("scaling.protect_busy", True, True),
        ("scaling.replicas.max", 21, False),
        ("alerts.dead_letters", 7, False),
        ("resources.memory", "1Gi", False),
    ],
)
def test_it_hangs_on_what_a_process_looks_at(root: Path, field: str, value: object, *, restarts: bool) -> None:
    """What only the cluster looks at restarts no pod."""
    [it] = resolve([root / "specs/media-cluster.yaml"], None, "production", root, DAY).pipelines
    data = it.spec.model_dump(mode="json", by_alias=True)
    *sections, name = field.split(".")
    section = data
    for one in sections:
        section = section[one]
    section[name] = value
    other = type(it.spec).model_validate(data)
    digests = {worker_file.write("production", spec, it.around, None)[1] for spec in (it.spec, other)}
    assert len(digests) == 1 + restarts


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"kind: pipeline\n", b'{"format": "1"}', b"[" * 100_000, b"\xff\xfe"]
)
def test_what_is_no_worker_file(raw: bytes) -> None:
    with pytest.raises(CannotGoOn, match=r"`worker\.json` is not a worker file") as refused:
        worker_file.read(raw, "worker.json")
    assert "penstock generate" in refused.value.hint


def test_what_was_changed_by_hand_is_refused(text: str) -> None:
    with pytest.raises(CannotGoOn, match="does not match its digest"):
        worker_file.read(text.replace('"concurrency": 16', '"concurrency": 160').encode(), "worker.json")
    with pytest.raises(CannotGoOn, match="does not match its digest: it says None"):
        worker_file.read(changed(text, digest=None), "worker.json")


def test_what_is_too_new_is_refused(text: str) -> None:
    """Before anything else of it is looked at."""
    with pytest.raises(CannotGoOn, match="newer Penstock: its format is 2, and this one reads 1"):
        worker_file.read(changed(text, format=2), "worker.json")


@pytest.mark.parametrize("spec", [{}, {"kind": "pipeline", "name": "x", "some": "thing"}])
def test_another_version_of_the_same_format(text: str, spec: dict[str, Any]) -> None:
    """Its digest is right, and yet we do not know what it says."""
    told = json.loads(text) | {"spec": spec}
    told.pop("digest")
    told["digest"] = worker_file._digest(told)  # noqa: SLF001 - as another version would have made it
    with pytest.raises(CannotGoOn, match="does not have the content that this Penstock writes: `"):
        worker_file.read(json.dumps(told).encode(), "worker.json")
