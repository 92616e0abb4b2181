"""Durations, sizes, CPU quantities and versions are kept as written and compared by their amounts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from penstock_spec.values.quantities import Cpu, Duration, Size, Version
from penstock_spec.values.quantity import Quantity

TEXTS = {
    Duration: ["0s", "500ms", "30s", "0.5s", "1.250s", "90m", "1h30m", "7d", "1d2h3m4s5ms", "3650d"],
    Size: ["0", "1024", "64Ki", "256Mi", "1.5Gi", "1Ti", "500M", "1k"],
    Cpu: ["250m", "0.5", "2", "1.250"],
    Version: ["1.36", "1.30", "7.2.4"],
}
EVERY = [pytest.param(kind, text, id=f"{kind.__name__} {text}") for kind, texts in TEXTS.items() for text in texts]


@pytest.mark.parametrize(("kind", "text"), EVERY)
def test_the_text_is_kept(kind: type[Quantity], text: str) -> None:
    """`90m` does not become `1h30m`, and `1.30` not `1.3`."""
    assert str(kind.validate(text)) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Duration("90s"), Duration("1m30s")),
        (Duration("0.5s"), Duration("500ms")),
        (Duration("1d"), Duration("24h")),
        (Size("1Gi"), Size("1024Mi")),
        (Size("1k"), Size("1000")),
        (Cpu("0.5"), Cpu("500m")),
        (Version("1.36"), Version("1.36.0")),
    ],
)
def test_quantities_are_equal_by_amount(one: Quantity, other: Quantity) -> None:
    """Whatever their text, also as keys of a dictionary."""
    assert one == other
    assert len({one, other}) == 1
    assert str(one) != str(other)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (Duration("59s"), Duration("1m")),
        (Size("1M"), Size("1Mi")),
        (Cpu("999m"), Cpu("1")),
        (Version("1.9"), Version("1.36")),
        (Version("1.36"), Version("1.36.1")),
    ],
)
def test_quantities_are_ordered_by_amount(less: Quantity, more: Quantity) -> None:
    """Not by their texts."""
    assert less < more
    assert max(less, more) is more


def test_quantities_of_two_types_are_never_equal() -> None:
    """A thousand bytes do not equal a second."""
    assert Duration("1s") != Size("1000")


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Duration("60s") + Duration("10s"), "1m10s"),
        (Duration("9m") + Duration("1m"), "10m"),
        (Duration("30s") - Duration("1m"), "0s"),
        (Duration("30s") * 1.5, "45s"),
        (Size("512Mi") + Size("512Mi"), "1Gi"),
        (Size("1Gi") - Size("1"), "1073741823"),
        (Cpu("500m") + Cpu("0.5"), "1"),
        (Cpu("500m") * 3, "1500m"),
        (Duration("3650d") + Duration("1d"), "3651d"),
    ],
)
def test_computed_quantities_have_the_shortest_text(result: Quantity, text: str) -> None:
    """A difference is never negative; a sum may exceed the limit of written values."""
    assert str(result) == text


@given(st.integers(0, Duration.LONGEST))
def test_the_text_of_an_amount_can_be_read(amount: int) -> None:
    """Hints show such texts."""
    assert Duration(str(Duration.of(amount))).amount == amount
    assert Size(str(Size.of(amount))).amount == amount
    assert Cpu(str(Cpu.of(amount % 10**9))).amount == amount % 10**9


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *[(Duration, text) for text in ["", "60", "1.5h", "-1s", "1m1h", "1s 1s", "1 s", "1S", "٣s", "3651d", "1e3s"]],
        *[(Size, text) for text in ["", "256m", "256MB", "-1", "1e3", "1 Mi", "1KiB", "٣"]],
        *[(Cpu, text) for text in ["", "250 m", "0.5m", "1.2345", "-1", "all"]],
        *[(Version, text) for text in ["", "1", "v1.36", "1.36.1.2", "1.x", "latest"]],
    ],
)
def test_invalid_texts_are_refused_by_the_rule_of_their_type(kind: type[Quantity], text: str) -> None:
    """The finding has a hint."""
    with pytest.raises(PydanticCustomError) as refused:
        kind.validate(text)
    assert refused.value.type == kind.RULE
    assert (refused.value.context or {})["hint"]


@pytest.mark.parametrize(
    ("kind", "text", "better"),
    [
        (Duration, "60", "60s"),
        (Duration, "5 minutes", "5m"),
        (Duration, "90 sec", "90s"),
        (Duration, "1.5h", "1h30m"),
        (Size, "256m", "256Mi"),
        (Size, "256MB", "256Mi"),
        (Size, "1 GiB", "1Gi"),
    ],
)
def test_the_suggestion_of_a_hint_is_valid(kind: type[Quantity], text: str, better: str) -> None:
    """The suggested text can be read."""
    with pytest.raises(PydanticCustomError) as refused:
        kind.validate(text)
    assert (refused.value.context or {})["hint"] == f"write `{better}`"
    assert str(kind.validate(better)) == better


@pytest.mark.parametrize("value", [None, True, [], {}, ["1s"]])
def test_other_types_are_refused(value: object) -> None:
    """The finding is `wrong-type`."""
    with pytest.raises(PydanticCustomError) as refused:
        Duration.validate(value)
    assert refused.value.type == "wrong-type"
