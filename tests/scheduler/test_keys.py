"""Where a scheduler stands in Redis."""

from __future__ import annotations

from dataclasses import astuple

from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys


def test_a_key_is_a_prefix_a_base_and_a_tag() -> None:
    """Without a tag there are no braces."""
    keys = SchedulerKeys.of(KeyNames(prefix="caching:", hash_tag="ps"))
    assert (keys.waiting, keys.working) == ("caching:waiting{ps}", "caching:working{ps}")
    assert keys.cleanup_leader == "caching:cleanup-leader{ps}"
    assert SchedulerKeys.of(KeyNames()).waiting == "waiting"


def test_all_keys_of_a_scheduler_have_one_tag_and_no_two_are_one() -> None:
    """So that one script may touch them together."""
    keys = astuple(SchedulerKeys.of(KeyNames(hash_tag="ps")))
    assert all(key.endswith("{ps}") and key.count("{") == 1 for key in keys)
    assert len(set(keys)) == len(keys)


def test_what_is_kept_beside_the_sets_follows_the_waiting_one() -> None:
    """Two schedulers that differ in the names of their sets share nothing."""
    one = set(astuple(SchedulerKeys.of(KeyNames())))
    other = set(astuple(SchedulerKeys.of(KeyNames(waiting="w", working="r", cleanup_leader="l"))))
    assert one & other == set()
