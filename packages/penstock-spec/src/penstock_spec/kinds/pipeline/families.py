"""What can be wrong with a pipeline between Redis, KEDA and Kubernetes: eighteen families, clause by clause.

Nothing later catches these: KEDA reads its metadata without complaint, and its webhook lets everything pass when it
fails. Beside each clause stand the examples that show it, as `<rule>:<which of its fails>`; a test runs them.
"""

from __future__ import annotations

from penstock_spec.kinds.family import family

FAMILIES = (
    family(
        1,
        {
            "the minimum is 0 and the trigger counts pending messages alone: nobody reads, so nothing is ever "
            "pending": "pending-only-cannot-wake:2",
        },
    ),
    family(
        2,
        {
            "the signal leaves out what is being worked on, and the cooldown is shorter than the longest "
            "work": "signal-forgets-running:1",
        },
    ),
    family(
        3,
        {
            "a formula over pending messages from a minimum of 0, where nobody makes the group and no `??` stands in "
            "for the error": "formula-fails-without-group:1",
        },
    ),
    family(
        4,
        {
            "the grace is shorter than the timeout plus draining": "grace-shorter-than-timeout:1",
        },
    ),
    family(
        5,
        {
            "parameters of several modes in one trigger, so that a target is silently 5": (
                "trigger-modes-mixed:1 trigger-modes-mixed:4"
            ),
        },
    ),
    family(
        6,
        {
            "an activation of 1 or more, so that the first messages wake nobody": (
                "activation-swallows-first-messages:1 activation-swallows-first-messages:2"
            ),
            "a KEDA before 2.17, which wants an activation or refuses 0": "keda-too-old:1",
        },
    ),
    family(
        7,
        {
            "the oldest unread messages are trimmed, and lag counts them on": "drop-oldest-breaks-lag:1",
            "entries ahead of the group are deleted, and lag is not known any more": "lag-over-deleted-entries:1",
        },
    ),
    family(
        8,
        {
            "the stream's length is the signal, and the stream keeps history": "xlen-counts-history:1",
            "the group is made at the stream's end, past what waits there": "group-starts-at-end:1",
        },
    ),
    family(
        9,
        {
            "lag and pending as two triggers, of which the autoscaler takes the larger, not the "
            "sum": "triggers-not-summed:1",
        },
    ),
    family(
        10,
        {
            "a formula, and a trigger without a name": "trigger-without-name:1",
            "a trigger's name that a formula cannot say, such as one with a hyphen": "trigger-name-not-identifier:1",
            "a fallback with a target that is no whole number, which switches it off": (
                "fractional-target-with-fallback:1"
            ),
            "a formula that can fall below zero, which is taken as the maximum": "formula-can-be-negative:1",
        },
    ),
    family(
        11,
        {
            "no fallback, so that an error freezes the pods": "no-fallback:1",
            "a fallback to 0 with a minimum of 0, so that an error takes all pods": "fallback-to-zero:1",
            "a fallback above the maximum": "fallback-above-max:1",
        },
    ),
    family(
        12,
        {
            "a password in plain text, in a file or in a trigger": "plaintext-password:3 password-in-trigger:1",
            "a password from the environment of a container that is not the first": "env-not-in-first-container:1",
            "TLS named in the trigger and in its authentication": "tls-named-twice:1",
            "lag on a Redis before 7, which does not tell it": "redis-too-old-for-lag:1",
            "an access list that keeps the scaler from a command it needs, such as `INFO`": "scaler-acl-too-narrow:2",
        },
    ),
    family(
        13,
        {
            "a trigger type that does not fit how the servers stand together": "wrong-trigger-for-topology:1",
            "sentinels, and no name of the master": "sentinel-without-master:1",
            "a database other than 0 on a cluster": "database-on-cluster:1",
            "a dead-letter key in another slot than the stream": "dead-letter-in-another-slot:1",
        },
    ),
    family(
        14,
        {
            "an idle count that is not below the minimum": "idle-not-below-min:1",
            "more pods than Redis takes connections, of one pipeline or of all": (
                "replicas-exceed-connections:1 connections-exceeded:1"
            ),
            "`spec.replicas` written beside an autoscaler, and reset by every rollout": "replicas-beside-autoscaler:1",
            "two scalers on one deployment": "two-scalers-one-target:1",
            "a name over 54 characters, which the autoscaler's name cannot hold": "name-too-long:1",
        },
    ),
    family(
        15,
        {
            "a lease under 10 s": "lease-too-short:1",
            "a lease near the timeouts of the client": "lease-near-timeouts:1",
            "a target for each pod far below what a pod runs at a time": "target-below-concurrency:1",
            "a poll where the pods never go to zero": "poll-without-meaning:1",
            "a cooldown where the pods never go to zero": "cooldown-without-meaning:1",
        },
    ),
    family(
        16,
        {
            "messages are deleted when done, and another spec reads the same stream": "until-done-with-other-readers:1",
        },
    ),
    family(
        17,
        {
            "less may wait than all pods together run at a time": "backlog-below-capacity:1",
        },
    ),
    family(
        18,
        {
            "retries that go on when the message is no longer kept": "retries-outlive-retention:1",
            "retries that go on when the deduplication has forgotten the message": "retries-outlive-dedup:1",
        },
    ),
    family(
        0,
        {
            "two specs read one stream by one group": "stream-group-shared:1",
            "one spec's dead letters are another's input": "dead-letter-read-as-input:1",
            "two specs of one name": "name-used-twice:1",
            "all specs together ask for more connections than Redis takes": "connections-exceeded:1",
        },
    ),
)
