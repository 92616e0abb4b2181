"""Recorded traffic in files: CSV, or what Prometheus answers to a range query.

CSV    `time,count`: so many messages from that time to the next; or a column of times alone, one for each message
JSON   rates of messages a second, such as `sum(rate(penstock_sent_total[1m]))`; series of one answer are summed up

Times are seconds or milliseconds since 1970, seconds since anything, or RFC 3339.
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
from penstock_spec.values.strings import printable

LARGEST = 64 * 2**20
"""Bytes."""
IN_MILLISECONDS = 1e11
"""A time from which on it counts milliseconds: in seconds it would lie beyond the year 5000."""
CSV_HINT = "write lines of `time,count`, or times alone, such as `2027-01-31T08:00:00Z,120`"
JSON_HINT = "save what `/api/v1/query_range` answers, as it is"
LONGEST_NUMBER = 40
"""Characters."""


def read_trace(path: Path) -> Trace:
    """From a file; what is wrong in it is told with its line or its sample."""
    text = _text(path)
    return _prometheus(path, text) if text.lstrip()[:1] in ("{", "[") or path.suffix == ".json" else _csv(path, text)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise CannotGoOn(f"`{path}` cannot be read: {error.strerror}", "name a trace in CSV or JSON") from None
    if len(raw) > LARGEST:
        raise CannotGoOn(f"`{path}` is larger than {LARGEST // 2**20} MiB", "give counts for minutes, not each message")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotGoOn(f"`{path}` is no text in UTF-8", CSV_HINT) from None


def _csv(path: Path, text: str) -> Trace:
    try:
        rows = [(line, row) for line, row in enumerate(csv.reader(text.splitlines(), strict=True), 1) if any(row)]
    except csv.Error as error:
        raise CannotGoOn(f"`{path}` is no CSV: {error}", CSV_HINT) from None
    if rows and _time(rows[0][1][0]) is None and rows[1:]:
        del rows[0]  # the names of the columns
    lines = [line for line, _ in rows]
    columns = len(rows[0][1]) if rows else 1
    times, counts = [], []
    for line, row in rows:
        if len(row) != columns or columns > 2:  # noqa: PLR2004 - a time and a count
            says = f"`{path}:{line}` has {len(row)} columns"
            raise CannotGoOn(says, "every line has a time and a count, or every line has a time alone")
        time = _time(row[0])
        if time is None:
            raise CannotGoOn(f"`{path}:{line}`: `{printable(row[0])}` is no time", CSV_HINT)
        times.append(time)
        if columns > 1:
            count = _number(row[1])
            if count is None:
                raise CannotGoOn(f"`{path}:{line}`: `{printable(row[1])}` is no number", CSV_HINT)
            counts.append(count)
    try:
        return of_counts(times, counts) if columns > 1 else of_times(times)
    except TraceError as bad:
        where = f"{path}:{lines[bad.place]}" if lines else str(path)
        raise CannotGoOn(f"`{where}`: {bad.says}", CSV_HINT) from None


def _prometheus(path: Path, text: str) -> Trace:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise CannotGoOn(f"`{path}` is no JSON", JSON_HINT) from None
    series = _series(path, answer)
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
    except TraceError as bad:
        where = f", sample {bad.place + 1}" if times else ""
        raise CannotGoOn(f"`{path}`{where}: {bad.says}", JSON_HINT) from None


def _series(path: Path, answer: object) -> Sequence[Any]:
    told = answer if isinstance(answer, dict) else {}
    if told.get("status") == "error":
        says = f"`{path}` is an error of Prometheus: {printable(told.get('error'), 200)}"
        raise CannotGoOn(says, "see that the query is right")
    data = told.get("data")
    kind = data.get("resultType") if isinstance(data, dict) else None
    if isinstance(data, dict) and kind == "matrix" and isinstance(data.get("result"), list):
        series: list[Any] = data["result"]
        return series
    if isinstance(kind, str) and kind != "matrix":
        raise CannotGoOn(f"`{path}` is the answer to a query at one time, a `{printable(kind)}`", JSON_HINT)
    raise CannotGoOn(f"`{path}` is not what Prometheus answers to a range query", JSON_HINT)


def _sample(path: Path, sample: object, where: str) -> tuple[float, float]:
    if isinstance(sample, list) and len(sample) == 2:  # noqa: PLR2004 - a time and a value
        time, rate = (_number(str(one)) for one in sample)
        if time is not None and rate is not None:
            if rate != rate:  # noqa: PLR0124 - what is not a number is not even itself
                raise CannotGoOn(f"`{path}`, {where}: its value is `NaN`", "ask for a range in which there are samples")
            return time, rate
    raise CannotGoOn(f"`{path}`, {where} is no time with a value", JSON_HINT)


def _time(text: str) -> float | None:
    text = text.strip()
    number = _number(text)
    if number is not None:
        return number / 1000 if abs(number) >= IN_MILLISECONDS else number
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _number(text: str) -> float | None:
    text = text.strip()
    try:
        return float(text) if len(text) <= LONGEST_NUMBER and "_" not in text else None
    except ValueError:
        return None
