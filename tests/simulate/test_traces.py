"""Recorded traffic: valid traces are read exactly, and errors name their place."""

import json
from pathlib import Path
from random import Random

import pytest

from penstock_dev.simulating.traces import MAX_BYTES, read_trace
from penstock_scaling.traffic.trace import MAX_MESSAGES, MAX_SECONDS, TraceError, of_counts, of_rates, of_times
from penstock_spec.findings import CannotGoOn


def random_of(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable randomness


CSV_HINT = "write lines of `time,count` or of times only, such as `2027-01-31T08:00:00Z,120`"
JSON_HINT = "save the response of `/api/v1/query_range` unchanged"


def csv(folder: Path, text: str) -> Path:
    path = folder / "trace.csv"
    path.write_text(text)
    return path


def prometheus(folder: Path, *series: list[list[object]]) -> Path:
    """Prometheus's response to a range query."""
    result = [{"metric": {"pod": str(number)}, "values": values} for number, values in enumerate(series)]
    path = folder / "trace.json"
    path.write_text(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}))
    return path


def test_counts_are_spread_until_the_next_time(tmp_path: Path) -> None:
    """Evenly. The last interval is as long as the one before."""
    trace = read_trace(csv(tmp_path, "time,count\n100,6\n103,0\n105,4\n"))
    assert trace.counts == (2, 2, 2, 0, 0, 2, 2)


def test_each_time_alone_is_one_message(tmp_path: Path) -> None:
    """In any order, as the logs of several processes are not sorted."""
    assert read_trace(csv(tmp_path, "12.5\n10\n10.9\n12.1\n")).counts == (2, 0, 2)


@pytest.mark.parametrize(
    "times",
    [
        ("2027-01-31T08:00:00Z", "2027-01-31T08:00:02Z"),
        ("2027-01-31T10:00:00+02:00", "2027-01-31 08:00:02"),
        ("1801382400", "1801382402"),
        ("1801382400000", "1801382402000"),
        ("0", "2"),
    ],
)
def test_times_have_several_formats(times: tuple[str, str], tmp_path: Path) -> None:
    """RFC 3339 with a zone or in UTC, Unix times in seconds or milliseconds, and seconds from any start."""
    first, second = times
    assert read_trace(csv(tmp_path, f"when,messages\n{first},4\n{second},2\n")).counts == (2, 2, 1, 1)


def test_blank_lines_and_a_byte_order_mark_are_ignored(tmp_path: Path) -> None:
    assert read_trace(csv(tmp_path, "\ufefftime,count\n\n0,1\n\n1,2\n")).counts == (1, 2)


def test_several_series_from_prometheus_are_added(tmp_path: Path) -> None:
    path = prometheus(tmp_path, [[0, "1"], [10, "2"]], [[0, "0.5"], [10, "0"], [20, "1"]])
    counts = read_trace(path).counts
    assert len(counts) == 30
    assert [sum(counts[at : at + 10]) for at in (0, 10, 20)] == [15, 20, 10]


def test_intervals_that_start_within_a_second_lose_no_message() -> None:
    assert sum(of_counts([0.5, 1.25, 3.75], [10, 20, 30]).counts) == 60


def test_a_trace_has_no_randomness() -> None:
    trace = of_counts([0, 1, 2], [5, 0, 7])
    assert list(trace.arrivals(random_of(1))) == list(trace.arrivals(random_of(2))) == [5, 0, 7]
    assert trace.lasts == 3


INVALID = {
    "": ("`{path}`: it is empty", CSV_HINT),
    "time,count\n": ("`{path}:1`: `time` is not a time", CSV_HINT),
    "0,1\n5,2\n3,1\n": ("`{path}:3`: its time is not after the previous one", CSV_HINT),
    "0,1\n0,2\n": ("`{path}:2`: its time is not after the previous one", CSV_HINT),
    "time,count\n0,1\n1,-4\n": ("`{path}:3`: -4 is negative", CSV_HINT),
    "0,1\n1,NaN\n": ("`{path}:2`: its count is not a finite number", CSV_HINT),
    "0,1\n1,inf\n": ("`{path}:2`: its count is not a finite number", CSV_HINT),
    "0,1\nnan,1\n": ("`{path}:2`: its time is not a finite number", CSV_HINT),
    "0,1\n1,many\n": ("`{path}:2`: `many` is not a number", CSV_HINT),
    "0,1\nlater,1\n": ("`{path}:2`: `later` is not a time", CSV_HINT),
    "0,1e12\n1,1\n": (f"`{{path}}:1`: it exceeds {MAX_MESSAGES:,} messages", CSV_HINT),
    "0,6e8\n1,6e8\n": (f"`{{path}}:2`: the total up to here exceeds {MAX_MESSAGES:,} messages", CSV_HINT),
    "0,1\n1e10,1\n": ("`{path}:2`: it lasts more than 31 days", CSV_HINT),
    "1\n2\n1e10\n": ("`{path}:3`: it lasts more than 31 days", CSV_HINT),
    "0,1\n1,2,3\n": ("`{path}:2` has 3 columns", "give a time and a count on every line, or a time on every line"),
    "0,1\n2\n": ("`{path}:2` has 1 column", "give a time and a count on every line, or a time on every line"),
    '0,"1\n': ("`{path}` is not CSV: unexpected end of data", CSV_HINT),
    "{": ("`{path}` is not JSON", JSON_HINT),
    "[" * 100_000: ("`{path}` is not JSON", JSON_HINT),
    "[]": ("`{path}` is not Prometheus's response to a range query", JSON_HINT),
    '{"data": {"resultType": "matrix"}}': ("`{path}` is not Prometheus's response to a range query", JSON_HINT),
    '{"data": {"resultType": "vector", "result": []}}': (
        "`{path}` is the response to an instant query, a `vector`",
        JSON_HINT,
    ),
    '{"status": "error", "error": "parse error"}': (
        "`{path}` is an error from Prometheus: parse error",
        "correct the query",
    ),
    '{"data": {"resultType": "matrix", "result": []}}': ("`{path}`: it is empty", JSON_HINT),
    '{"data": {"resultType": "matrix", "result": [{"metric": {}}]}}': (
        "`{path}`: series 1 has no `values`",
        JSON_HINT,
    ),
    '{"data": {"resultType": "matrix", "result": [{"values": [[0, "1"], [1, "NaN"]]}]}}': (
        "`{path}`, series 1, sample 2: its value is `NaN`",
        "query a range that has samples",
    ),
    '{"data": {"resultType": "matrix", "result": [{"values": [[0, "1"], [1, "-1"]]}]}}': (
        "`{path}`, sample 2: -1 is negative",
        JSON_HINT,
    ),
    '{"data": {"resultType": "matrix", "result": [{"values": [[0, "1"], 7]}]}}': (
        "`{path}`, series 1, sample 2 is not a time with a value",
        JSON_HINT,
    ),
}


@pytest.mark.parametrize("text", INVALID, ids=range(len(INVALID)))
def test_an_invalid_trace_is_refused_at_its_place(text: str, tmp_path: Path) -> None:
    """With the line or the sample, and a hint."""
    path = csv(tmp_path, text)
    says, hint = INVALID[text]
    with pytest.raises(CannotGoOn) as refused:
        read_trace(path)
    assert (refused.value.says, refused.value.hint) == (says.format(path=path), hint)


def test_files_that_are_not_text_are_refused(tmp_path: Path) -> None:
    """A missing file, bytes that are not text, and a file that is too large."""
    path = tmp_path / "trace.csv"
    with pytest.raises(CannotGoOn, match=r"cannot read .*: No such file or directory"):
        read_trace(path)
    path.write_bytes(b"\xff\xfe0,1")
    with pytest.raises(CannotGoOn, match="is not UTF-8 text"):
        read_trace(path)
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(CannotGoOn, match="is larger than 64 MiB") as refused:
        read_trace(path)
    assert refused.value.hint == "give counts per minute instead of messages"


def test_traces_have_limits() -> None:
    """For traces from other sources than files, too."""
    with pytest.raises(TraceError, match="it is empty"):
        of_times([])
    with pytest.raises(TraceError, match="it lasts more than 31 days"):
        of_times([0, MAX_SECONDS + 1])
    with pytest.raises(TraceError, match="it exceeds"):
        of_rates([0, 1000], [MAX_MESSAGES, 1])
