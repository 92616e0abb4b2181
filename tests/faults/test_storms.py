"""Short storms of real processes, and the checks themselves: each violation in a ledger is found."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from fault_journal import Send, Step

from .account import Facts, Result, fill
from .families import FAMILIES, named
from .report import PAGE
from .running import run
from .samples import Series, svg


@pytest.mark.storm
@pytest.mark.parametrize("name", ["kill", "cuts"])
def test_a_short_storm_violates_nothing(name: str) -> None:
    """Faults for five seconds. `make faults` runs all families, longer."""
    [family] = named(name)
    result = run(family, 1, seconds=5.0)
    assert result.violations == [], f"repeat: python -m tests.faults --only {name} --seed 1"
    assert result.done > 50


def test_the_page_has_every_family() -> None:
    """`make faults` writes the page in a whole run."""
    text = PAGE.read_text()
    for family in FAMILIES:
        assert f"| `{family.name}` | {family.does} | {family.promises} |" in text, "run `make faults`"


def sent(body: str, what: str = "acknowledged") -> list[Send]:
    return [Send("attempted", body, 1.0), Send(what, body, 2.0)]


def ran(body: str, *, fence: int = 1, attempt: int = 1, entry: str = "1-0", ends: bool = True) -> list[Step]:
    whats = ("begin", "end") if ends else ("begin",)
    return [Step(what, body, entry, fence, attempt, f"id-{body}", 1, 1.5) for what in whats]


CASES: dict[str, Facts] = {
    "P1 acknowledged and lost": Facts(sent("ok-1"), [], [], {}),
    "sent although it was refused": Facts(sent("ok-1", "refused"), ran("ok-1"), [], {}),
    "must be dead, but was done": Facts(sent("bury-1"), ran("bury-1"), [], {}),
    "P4 buried without a reason": Facts(sent("ok-1"), ran("ok-1", ends=False), [("ok-1", "1-0")], {}),
    "one send() became several": Facts(sent("ok-1"), ran("ok-1") + ran("ok-1", entry="2-0"), [], {}),
    "dead twice": Facts(sent("bury-1"), [], [("bury-1", "1-0"), ("bury-1", "1-0")], {}),
    "P8 a fence was used twice": Facts(sent("ok-1"), ran("ok-1") + ran("ok-1"), [], {}),
    "P4 more attempts than allowed": Facts(sent("ok-1"), ran("ok-1", attempt=8), [], {}),
    "done and dead": Facts(sent("ok-1"), ran("ok-1"), [("ok-1", "1-0")], {}),
    "P3 settled by an earlier owner": Facts(
        sent("result-1"), ran("result-1") + ran("result-1", fence=2), [], {"id-result-1": 1}
    ),
    "done without its result": Facts(sent("result-1"), ran("result-1"), [], {"id-result-1": None}),
}


@pytest.mark.parametrize("what", CASES)
def test_a_violation_is_found(what: str) -> None:
    result = Result("test", 1)
    fill(result, CASES[what])
    assert any(one.startswith(what) for one in result.violations), result.violations


def test_a_correct_ledger_has_no_violation() -> None:
    """A message that runs twice, after a lost worker, and one that Redis itself lost are none."""
    steps = ran("ok-1", ends=False) + ran("ok-1", fence=2, attempt=2) + ran("result-1", fence=3)
    facts = Facts(
        sent("ok-1") + sent("result-1") + sent("bury-1") + sent("ok-2"),
        steps,
        [("bury-1", "2-0")],
        {"id-result-1": 3},
        frozenset({"ok-2"}),
    )
    result = Result("test", 1)
    fill(result, facts)
    assert result.violations == []
    assert (result.done, result.dead, result.lost) == (2, 1, 1)


def line(*values: float) -> Series:
    return Series("worker", "memory", [(float(at), value) for at, value in enumerate(values)])


def test_a_leak_is_not_flat_but_noise_and_peaks_are() -> None:
    """A quarter of the time is the warm-up; a third of the points may be wrong."""
    noise = [80.0 + 3 * (at % 7) + (400 if at % 9 == 0 else 0) for at in range(900)]
    assert line(*noise).is_flat
    assert line(*(min(at, 200) + value for at, value in enumerate(noise))).is_flat
    assert not line(*(at * 0.05 + value for at, value in enumerate(noise))).is_flat


def test_the_drawing_is_xml_with_a_line_for_each_series() -> None:
    drawing = svg([line(1, 2, 3), Series("used_memory", "redis", [(0.0, 1.0)])])
    assert len(ET.fromstring(drawing).findall("{http://www.w3.org/2000/svg}polyline")) == 2  # noqa: S314 - ours
