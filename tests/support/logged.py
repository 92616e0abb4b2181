"""Reads the log lines that the runtime wrote in the test's own process."""

from __future__ import annotations

import json

import pytest

from penstock.observe.lines import JsonLines, Process


def logged(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    """The lines in the format of a process."""
    lines = JsonLines(Process())
    return [json.loads(lines.format(record)) for record in caplog.records]


def events(caplog: pytest.LogCaptureFixture) -> list[object]:
    """The events of Penstock's own lines."""
    return [line["event"] for line in logged(caplog) if "event" in line]
