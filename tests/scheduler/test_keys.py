"""A scheduler's keys in Redis follow from its prefix, names and hash tag."""

from __future__ import annotations

from dataclasses import astuple

from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys


def test_a_key_consists_of_prefix_name_and_hash_tag() -> None:
    """Without a hash tag there are no braces."""
    keys = SchedulerKeys.of(KeyNames(prefix="caching:", hash_tag="ps"))
    assert (keys.waiting, keys.working) == ("caching:waiting{ps}", "caching:working{ps}")
    assert keys.cleanup_leader == "caching:cleanup-leader{ps}"
    assert SchedulerKeys.of(KeyNames()).waiting == "waiting"


def test_all_keys_are_different_and_share_one_hash_tag() -> None:
    """One script can use them together."""
    keys = astuple(SchedulerKeys.of(KeyNames(hash_tag="ps")))
    assert all(key.endswith("{ps}") and key.count("{") == 1 for key in keys)
    assert len(set(keys)) == len(keys)


def test_other_keys_follow_the_name_of_the_waiting_set() -> None:
    """Two schedulers with different names of their sets share no key."""
    one = set(astuple(SchedulerKeys.of(KeyNames())))
    other = set(astuple(SchedulerKeys.of(KeyNames(waiting="w", working="r", cleanup_leader="l"))))
    assert one & other == set()
