"""What can be wrong with a pipeline between Redis, KEDA and Kubernetes: eighteen families, clause by clause.

Nothing later catches these: KEDA reads its metadata without complaint, and its webhook lets everything pass when it
fails. A test proves that every rule named here exists and that an example shows it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that can be wrong, and the rules that find it."""

    says: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Things that go wrong in the same way. Number 0 is what only shows when specs are looked at together."""

    number: int
    clauses: tuple[Clause, ...]


def _family(number: int, clauses: dict[str, str]) -> Family:
    return Family(number, tuple(Clause(says, tuple(rules.split())) for says, rules in clauses.items()))


FAMILIES = (
    _family(
        1,
        {
            "the minimum is 0 and the trigger counts pending messages alone: nobody reads, so nothing is ever "
            "pending": "pending-only-cannot-wake",
        },
    ),
    _family(
        2,
        {
            "the signal leaves out what is being worked on, and the cooldown is shorter than the longest "
            "work": "signal-forgets-running",
        },
    ),
    _family(
        3,
        {
            "a formula over pending messages from a minimum of 0, where nobody makes the group and no `??` stands in "
            "for the error": "formula-fails-without-group",
        },
    ),
    _family(
        4,
        {
            "the grace is shorter than the timeout plus draining": "grace-shorter-than-timeout",
        },
    ),
    _family(
        5,
        {
            "parameters of several modes in one trigger, so that a target is silently 5": "trigger-modes-mixed",
        },
    ),
    _family(
        6,
        {
            "an activation of 1 or more, so that the first messages wake nobody": "activation-swallows-first-messages",
            "a KEDA before 2.17, which wants an activation or refuses 0": "keda-too-old",
        },
    ),
    _family(
        7,
        {
            "the oldest unread messages are trimmed, and lag counts them on": "drop-oldest-breaks-lag",
            "entries ahead of the group are deleted, and lag is not known any more": "lag-over-deleted-entries",
        },
    ),
    _family(
        8,
        {
            "the stream's length is the signal, and the stream keeps history": "xlen-counts-history",
            "the group is made at the stream's end, past what waits there": "group-starts-at-end",
        },
    ),
    _family(
        9,
        {
            "lag and pending as two triggers, of which the autoscaler takes the larger, not the "
            "sum": "triggers-not-summed",
        },
    ),
    _family(
        10,
        {
            "a formula, and a trigger without a name": "trigger-without-name",
            "a trigger's name that a formula cannot say, such as one with a hyphen": "trigger-name-not-identifier",
            "a fallback with a target that is no whole number, which switches it off": (
                "fractional-target-with-fallback"
            ),
            "a formula that can fall below zero, which is taken as the maximum": "formula-can-be-negative",
        },
    ),
    _family(
        11,
        {
            "no fallback, so that an error freezes the pods": "no-fallback",
            "a fallback to 0 with a minimum of 0, so that an error takes all pods": "fallback-to-zero",
            "a fallback above the maximum": "fallback-above-max",
        },
    ),
    _family(
        12,
        {
            "a password in plain text, in a file or in a trigger": "plaintext-password password-in-trigger",
            "a password from the environment of a container that is not the first": "env-not-in-first-container",
            "TLS named in the trigger and in its authentication": "tls-named-twice",
            "lag on a Redis before 7, which does not tell it": "redis-too-old-for-lag",
            "an access list that keeps the scaler from a command it needs, such as `INFO`": "scaler-acl-too-narrow",
        },
    ),
    _family(
        13,
        {
            "a trigger type that does not fit how the servers stand together": "wrong-trigger-for-topology",
            "sentinels, and no name of the master": "sentinel-without-master",
            "a database other than 0 on a cluster": "database-on-cluster",
            "a dead-letter key in another slot than the stream": "dead-letter-in-another-slot",
        },
    ),
    _family(
        14,
        {
            "an idle count that is not below the minimum": "idle-not-below-min",
            "more pods than Redis takes connections, of one pipeline or of all": (
                "replicas-exceed-connections connections-exceeded"
            ),
            "`spec.replicas` written beside an autoscaler, and reset by every rollout": "replicas-beside-autoscaler",
            "two scalers on one deployment": "two-scalers-one-target",
            "a name over 54 characters, which the autoscaler's name cannot hold": "name-too-long",
        },
    ),
    _family(
        15,
        {
            "a lease under 10 s": "lease-too-short",
            "a lease near the timeouts of the client": "lease-near-timeouts",
            "a target for each pod far below what a pod runs at a time": "target-below-concurrency",
            "a poll where the pods never go to zero": "poll-without-meaning",
            "a cooldown where the pods never go to zero": "cooldown-without-meaning",
        },
    ),
    _family(
        16,
        {
            "messages are deleted when done, and another spec reads the same stream": "until-done-with-other-readers",
        },
    ),
    _family(
        17,
        {
            "less may wait than all pods together run at a time": "backlog-below-capacity",
        },
    ),
    _family(
        18,
        {
            "retries that go on when the message is no longer kept": "retries-outlive-retention",
            "retries that go on when the deduplication has forgotten the message": "retries-outlive-dedup",
        },
    ),
    _family(
        0,
        {
            "two specs read one stream by one group": "stream-group-shared",
            "one spec's dead letters are another's input": "dead-letter-read-as-input",
            "two specs of one name": "name-used-twice",
            "all specs together ask for more connections than Redis takes": "connections-exceeded",
        },
    ),
)
