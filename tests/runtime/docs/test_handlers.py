"""The handlers of the how-to are valid handlers."""

import importlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pages
import pytest

from penstock.handling.load import load
from penstock.message.encoding import encoding_of
from penstock.resolved import resolve
from penstock_spec.kinds.pipeline.message.schema_of import schema_of

PAGE = pages.ROOT / "docs/how-to/handlers.md"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository with all files of the page."""
    for block in pages.blocks(PAGE):
        if block.title:
            file = tmp_path / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
    (tmp_path / "penstock.yaml").write_text(pages.platform())
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "media"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def test_each_handler_of_the_page_can_be_run(repository: Path) -> None:
    """Each has the style that its spec demands, and its messages can be encoded."""
    specs = sorted((repository / "specs").glob("*.yaml"))
    assert len(specs) == 3
    resolution = resolve(specs, None, "dev", repository, datetime.now(UTC).date())
    for pipeline in resolution.pipelines:
        handler = load(pipeline.spec)
        encoding = encoding_of(pipeline.spec.message, schema_of(pipeline.spec, pipeline.folder))
        assert encoding.write({"job_id": "1", "image_ids": []})
        assert handler.style == ("thread" if pipeline.name == "thumbnails" else "async")
    assert len(resolution.pipelines) == 3
