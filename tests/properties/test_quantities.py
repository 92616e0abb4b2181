"""Durations, sizes and CPU quantities are read as written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.values.quantities import Cpu, Duration, Size, Version
from penstock_spec.values.quantity import Quantity

AMOUNTS = st.integers(0, Duration.LONGEST)
PATTERNS = {
    Duration: r"([0-9]{1,3}d)?([0-9]{1,3}h)?([0-9]{1,3}m)?([0-9]{1,3}(\.[0-9]{1,3})?s)?([0-9]{1,3}ms)?",
    Size: r"[0-9]{1,9}(\.[0-9]{1,3})?(Ki|Mi|Gi|Ti|k|M|G|T)?",
    Cpu: r"[0-9]{1,4}(\.[0-9]{1,3})?|[0-9]{1,6}m",
    Version: r"[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?",
}
QUANTITIES = st.sampled_from(list(PATTERNS)).flatmap(
    lambda kind: st.from_regex(PATTERNS[kind], fullmatch=True).filter(bool).map(kind)
)


@given(QUANTITIES)
def test_a_quantity_keeps_its_text(one: Quantity) -> None:
    assert type(one)(str(one)) == one
    assert str(type(one).validate(str(one))) == one.text


@pytest.mark.parametrize("kind", [Duration, Size, Cpu])
@given(amount=AMOUNTS)
def test_an_amount_survives_its_text(kind: type[Quantity], amount: int) -> None:
    amount %= 10**9
    assert kind.of(amount).amount == amount
    assert kind.of(kind.of(amount).amount).text == kind.of(amount).text


@given(AMOUNTS, AMOUNTS)
def test_sums_and_order_are_those_of_the_amounts(one: int, other: int) -> None:
    first, second = Duration.of(one // 2), Duration.of(other // 2)
    assert (first + second).amount == one // 2 + other // 2
    assert (first < second) == (one // 2 < other // 2)
    assert (first - second).amount == max(0, one // 2 - other // 2)
