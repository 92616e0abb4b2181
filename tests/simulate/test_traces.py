"""Recorded traffic: what is right is read exactly, and what is wrong is told with its place."""

import json
from pathlib import Path
from random import Random

import pytest

from penstock_dev.simulating.traces import LARGEST, read_trace
from penstock_scaling.traffic.trace import LONGEST, MOST, TraceError, of_counts, of_rates, of_times
from penstock_spec.findings import CannotGoOn


def dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - no secret


TIMES_ALONE = "write lines of `time,count`, or times alone, such as `2027-01-31T08:00:00Z,120`"
ANSWER = "save what `/api/v1/query_range` answers, as it is"


def csv(folder: Path, text: str) -> Path:
    path = folder / "trace.csv"
    path.write_text(text)
    return path


def answer(folder: Path, *series: list[list[object]]) -> Path:
    """What Prometheus answers to a range query."""
    result = [{"metric": {"pod": str(number)}, "values": values} for number, values in enumerate(series)]
    path = folder / "trace.json"
    path.write_text(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}))
    return path


def test_counts_are_spread_up_to_the_next_time(tmp_path: Path) -> None:
    """Evenly; the last stretch is as long as the one before."""
    trace = read_trace(csv(tmp_path, "time,count\n100,6\n103,0\n105,4\n"))
    assert trace.counts == (2, 2, 2, 0, 0, 2, 2)


def test_a_column_of_times_is_one_message_each(tmp_path: Path) -> None:
    """In any order: what several processes logged is not sorted."""
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
def test_times_are_written_in_several_ways(times: tuple[str, str], tmp_path: Path) -> None:
    """RFC 3339 with a zone or in UTC, seconds and milliseconds since 1970, and seconds since anything."""
    first, second = times
    assert read_trace(csv(tmp_path, f"when,messages\n{first},4\n{second},2\n")).counts == (2, 2, 1, 1)


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    assert read_trace(csv(tmp_path, "\ufefftime,count\n\n0,1\n\n1,2\n")).counts == (1, 2)


def test_series_of_prometheus_are_rates_and_are_summed_up(tmp_path: Path) -> None:
    path = answer(tmp_path, [[0, "1"], [10, "2"]], [[0, "0.5"], [10, "0"], [20, "1"]])
    counts = read_trace(path).counts
    assert len(counts) == 30
    assert [sum(counts[at : at + 10]) for at in (0, 10, 20)] == [15, 20, 10]


def test_stretches_that_begin_within_a_second_lose_nothing() -> None:
    assert sum(of_counts([0.5, 1.25, 3.75], [10, 20, 30]).counts) == 60


def test_a_trace_leaves_nothing_to_chance() -> None:
    trace = of_counts([0, 1, 2], [5, 0, 7])
    assert list(trace.arrivals(dice(1))) == list(trace.arrivals(dice(2))) == [5, 0, 7]
    assert trace.lasts == 3


HOSTILE = {
    "": ("`{path}`: there is nothing in it", TIMES_ALONE),
    "time,count\n": ("`{path}:1`: `time` is no time", TIMES_ALONE),
    "0,1\n5,2\n3,1\n": ("`{path}:3`: its time is not after the one before", TIMES_ALONE),
    "0,1\n0,2\n": ("`{path}:2`: its time is not after the one before", TIMES_ALONE),
    "time,count\n0,1\n1,-4\n": ("`{path}:3`: -4 is below nothing", TIMES_ALONE),
    "0,1\n1,NaN\n": ("`{path}:2`: its count is not a finite number", TIMES_ALONE),
    "0,1\n1,inf\n": ("`{path}:2`: its count is not a finite number", TIMES_ALONE),
    "0,1\nnan,1\n": ("`{path}:2`: its time is not a finite number", TIMES_ALONE),
    "0,1\n1,many\n": ("`{path}:2`: `many` is no number", TIMES_ALONE),
    "0,1\nlater,1\n": ("`{path}:2`: `later` is no time", TIMES_ALONE),
    "0,1e12\n1,1\n": (f"`{{path}}:1`: it makes more than {MOST:,} messages", TIMES_ALONE),
    "0,6e8\n1,6e8\n": (f"`{{path}}:2`: up to it there are more than {MOST:,} messages", TIMES_ALONE),
    "0,1\n1e10,1\n": ("`{path}:2`: it goes on for more than 31 days", TIMES_ALONE),
    "1\n2\n1e10\n": ("`{path}:3`: it goes on for more than 31 days", TIMES_ALONE),
    "0,1\n1,2,3\n": ("`{path}:2` has 3 columns", "every line has a time and a count, or every line has a time alone"),
    "0,1\n2\n": ("`{path}:2` has 1 columns", "every line has a time and a count, or every line has a time alone"),
    '0,"1\n': ("`{path}` is no CSV: unexpected end of data", TIMES_ALONE),
    "{": ("`{path}` is no JSON", ANSWER),
    "[" * 100_000: ("`{path}` is no JSON", ANSWER),
    "[]": ("`{path}` is not what Prometheus answers to a range query", ANSWER),
    '{"data": {"resultType": "matrix"}}': ("`{path}` is not what Prometheus answers to a range query", ANSWER),
    '{"data": {"resultType": "vector", "result": []}}': (
        "`{path}` is the answer to a query at one time, a `vector`",
        ANSWER,
    ),
    '{"status": "error", "error": "parse error"}': (
        "`{path}` is an error of Prometheus: parse error",
        "see that the query is right",
    ),
    '{"data": {"resultType": "matrix", "result": []}}': ("`{path}`: there is nothing in it", ANSWER),
    '{"data": {"resultType": "matrix", "result": [{"metric": {}}]}}': (
        "`{path}`: series 1 has no `values`",
        ANSWER,
    ),
    '{"data": {"resultType": "matrix", "result": [{"values": [[0, "1"], [1, "NaN"]]}]}}': (
        "`{path}`, series 1, sample 2: its value is `NaN`",
        "ask for a range in which there are samples",
    ),
    '{"data": {"resultType": "matrix", "result": [{"values": [[0, "1"], [1, "-1"]]}]}}': (
        "`{path}`, sample 2: -1 is below nothing",
        ANSWER,
    ),
    '{"data": {"resultType": "matrix", "result": [{"values": [[0, "1"], 7]}]}}': (
        "`{path}`, series 1, sample 2 is no time with a value",
        ANSWER,
    ),
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_traffic_is_refused_at_its_place(text: str, tmp_path: Path) -> None:
    """With the line or the sample, and the way to put it right."""
    path = csv(tmp_path, text)
    says, hint = HOSTILE[text]
    with pytest.raises(CannotGoOn) as refused:
        read_trace(path)
    assert (refused.value.says, refused.value.hint) == (says.format(path=path), hint)


def test_files_that_hold_no_text_are_refused(tmp_path: Path) -> None:
    """A file that is not there, bytes that are no text, and one that is too large to be read."""
    path = tmp_path / "trace.csv"
    with pytest.raises(CannotGoOn, match="cannot be read: No such file or directory"):
        read_trace(path)
    path.write_bytes(b"\xff\xfe0,1")
    with pytest.raises(CannotGoOn, match="is no text in UTF-8"):
        read_trace(path)
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(CannotGoOn, match="is larger than 64 MiB") as refused:
        read_trace(path)
    assert refused.value.hint == "give counts for minutes, not each message"


def test_traces_have_bounds_of_their_own() -> None:
    """Whoever has them from elsewhere than a file is told the same."""
    with pytest.raises(TraceError, match="there is nothing in it"):
        of_times([])
    with pytest.raises(TraceError, match="it goes on for more than 31 days"):
        of_times([0, LONGEST + 1])
    with pytest.raises(TraceError, match="it makes more than"):
        of_rates([0, 1000], [MOST, 1])
