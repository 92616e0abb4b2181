"""A pod runs an intact worker file, and refuses any other with a reason."""

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


def test_a_worker_file_is_read_back_unchanged(root: Path) -> None:
    """For every spec of the repository, in every environment; and writing it again gives the same text.

    Settings of Redis that only the infrastructure needs are not in it.
    """
    for environment in ("dev", "production"):
        for it in resolve([], None, environment, root, DAY).pipelines:
            text, digest = worker_file.write(environment, it.spec, it.around, {"type": "object"})
            read = worker_file.read(text.encode(), "worker.json")
            assert read.digest == digest
            assert read.around.redis == it.around.redis.model_copy(update={"memory": None, "ports": []})
            assert worker_file.write(environment, read.spec, read.around, read.schema) == (text, digest)


def test_the_layout_does_not_matter(text: str) -> None:
    """A tool may write the same content in another layout."""
    content = json.loads(text)
    assert (
        worker_file.read(json.dumps(dict(reversed(content.items()))).encode(), "worker.json").digest
        == content["digest"]
    )


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
def test_the_digest_depends_only_on_what_a_process_reads(
    root: Path, field: str, value: object, *, restarts: bool
) -> None:
    """A setting that only the cluster uses restarts no pod."""
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
    "content", [b"", b"{", b"[]", b"kind: pipeline\n", b'{"format": "1"}', b"[" * 100_000, b"\xff\xfe"]
)
def test_other_content_is_refused(content: bytes) -> None:
    with pytest.raises(CannotGoOn, match=r"`worker\.json` is not a worker file") as refused:
        worker_file.read(content, "worker.json")
    assert "penstock generate" in refused.value.hint


def test_a_file_edited_by_hand_is_refused(text: str) -> None:
    with pytest.raises(CannotGoOn, match="does not match its digest"):
        worker_file.read(text.replace('"concurrency": 16', '"concurrency": 160').encode(), "worker.json")
    with pytest.raises(CannotGoOn, match="does not match its digest: it says None"):
        worker_file.read(changed(text, digest=None), "worker.json")


def test_a_newer_format_is_refused(text: str) -> None:
    """Before any other check."""
    with pytest.raises(CannotGoOn, match="newer Penstock: its format is 2, and this one reads 1"):
        worker_file.read(changed(text, format=2), "worker.json")


@pytest.mark.parametrize("spec", [{}, {"kind": "pipeline", "name": "x", "some": "thing"}])
def test_unknown_content_of_the_same_format_is_refused(text: str, spec: dict[str, Any]) -> None:
    """Even with a correct digest."""
    content = json.loads(text) | {"spec": spec}
    content.pop("digest")
    content["digest"] = worker_file._digest(content)  # noqa: SLF001 - as another version would write it
    with pytest.raises(CannotGoOn, match="does not have the content that this Penstock writes: `"):
        worker_file.read(json.dumps(content).encode(), "worker.json")


def test_a_file_with_a_removed_field_is_still_read(text: str) -> None:
    """An earlier version wrote it, with its own digest: after an upgrade, `generate` compares with this file."""
    content = json.loads(text)
    content["around"]["redis"]["timeouts"]["wait"] = "5s"
    read = worker_file.read(json.dumps(content).encode(), "worker.json", checked=False)
    assert read.around.redis == worker_file.read(text.encode(), "worker.json").around.redis
