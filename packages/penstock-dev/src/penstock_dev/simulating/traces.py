"""Reads recorded traffic from CSV, or from Prometheus's response to a range query.

CSV    `time,count`: messages from this time to the next; or only times, one per message
JSON   messages per second, such as `sum(rate(penstock_sent_total[1m]))`; several series are added

Times are Unix times in seconds or milliseconds, seconds from any start, or RFC 3339.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from penstock_scaling.traffic.trace import Trace, TraceError, of_counts, of_rates, of_times
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import many
from penstock_spec.values.strings import printable

MAX_BYTES = 64 * 2**20
"""Bytes."""
MILLISECONDS_FROM = 1e11
"""Larger times are in milliseconds: in seconds they would be after the year 5000."""
CSV_HINT = "write lines of `time,count` or of times only, such as `2027-01-31T08:00:00Z,120`"
JSON_HINT = "save the response of `/api/v1/query_range` unchanged"
MAX_NUMBER_LENGTH = 40
"""Characters."""


def read_trace(path: Path) -> Trace:
    """Read a trace. Errors name the line or the sample."""
    text = _text(path)
    return _prometheus(path, text) if text.lstrip()[:1] in ("{", "[") or path.suffix == ".json" else _csv(path, text)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CannotGoOn(f"cannot read `{path}`: {error.strerror}", "name a trace in CSV or JSON") from None
    if len(raw) > MAX_BYTES:
        raise CannotGoOn(
            f"`{path}` is larger than {MAX_BYTES // 2**20} MiB", "give counts per minute instead of messages"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotGoOn(f"`{path}` is not UTF-8 text", CSV_HINT) from None


def _csv(path: Path, text: str) -> Trace:
    try:
        rows = [(line, row) for line, row in enumerate(csv.reader(text.splitlines(), strict=True), 1) if any(row)]
    except csv.Error as error:
        raise CannotGoOn(f"`{path}` is not CSV: {error}", CSV_HINT) from None
    if rows and _time(rows[0][1][0]) is None and rows[1:]:
        del rows[0]  # column names
    lines = [line for line, _ in rows]
    columns = len(rows[0][1]) if rows else 1
    times, counts = [], []
    for line, row in rows:
        if len(row) != columns or columns > 2:  # noqa: PLR2004 - a time and a count
            says = f"`{path}:{line}` has {many(len(row), 'column')}"
            raise CannotGoOn(says, "give a time and a count on every line, or a time on every line")
        time = _time(row[0])
        if time is None:
            raise CannotGoOn(f"`{path}:{line}`: `{printable(row[0])}` is not a time", CSV_HINT)
        times.append(time)
        if columns > 1:
            count = _number(row[1])
            if count is None:
                raise CannotGoOn(f"`{path}:{line}`: `{printable(row[1])}` is not a number", CSV_HINT)
            counts.append(count)
    try:
        return of_counts(times, counts) if columns > 1 else of_times(times)
    except TraceError as error:
        where = f"{path}:{lines[error.place]}" if lines else str(path)
        raise CannotGoOn(f"`{where}`: {error.says}", CSV_HINT) from None


def _prometheus(path: Path, text: str) -> Trace:
    try:
        response = json.loads(text)
    except (ValueError, RecursionError):
        raise CannotGoOn(f"`{path}` is not JSON", JSON_HINT) from None
    series = _series(path, response)
    sums: dict[float, float] = {}
    for number, one in enumerate(series, 1):
        values = one.get("values") if isinstance(one, dict) else None
        if not isinstance(values, list):
            raise CannotGoOn(f"`{path}`: series {number} has no `values`", JSON_HINT)
        for at, sample in enumerate(values, 1):
            time, rate = _sample(path, sample, f"series {number}, sample {at}")
            sums[time] = sums.get(time, 0) + rate
    times = sorted(sums)
    try:
        return of_rates(times, [sums[time] for time in times])
    except TraceError as error:
        where = f", sample {error.place + 1}" if times else ""
        raise CannotGoOn(f"`{path}`{where}: {error.says}", JSON_HINT) from None


def _series(path: Path, response: object) -> Sequence[Any]:
    fields = response if isinstance(response, dict) else {}
    if fields.get("status") == "error":
        says = f"`{path}` is an error from Prometheus: {printable(fields.get('error'), 200)}"
        raise CannotGoOn(says, "correct the query")
    data = fields.get("data")
    kind = data.get("resultType") if isinstance(data, dict) else None
    if isinstance(data, dict) and kind == "matrix" and isinstance(data.get("result"), list):
        series: list[Any] = data["result"]
        return series
    if isinstance(kind, str) and kind != "matrix":
        raise CannotGoOn(f"`{path}` is the response to an instant query, a `{printable(kind)}`", JSON_HINT)
    raise CannotGoOn(f"`{path}` is not Prometheus's response to a range query", JSON_HINT)


def _sample(path: Path, sample: object, where: str) -> tuple[float, float]:
    if isinstance(sample, list) and len(sample) == 2:  # noqa: PLR2004 - a time and a value
        time, rate = (_number(str(one)) for one in sample)
        if time is not None and rate is not None:
            if rate != rate:  # noqa: PLR0124 - true for NaN
                raise CannotGoOn(f"`{path}`, {where}: its value is `NaN`", "query a range that has samples")
            return time, rate
    raise CannotGoOn(f"`{path}`, {where} is not a time with a value", JSON_HINT)


def _time(text: str) -> float | None:
    text = text.strip()
    number = _number(text)
    if number is not None:
        return number / 1000 if abs(number) >= MILLISECONDS_FROM else number
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _number(text: str) -> float | None:
    text = text.strip()
    try:
        return float(text) if len(text) <= MAX_NUMBER_LENGTH and "_" not in text else None
    except ValueError:
        return None
