"""Families of mistakes between Redis, KEDA and Kubernetes that rules find in pipelines.

Nothing later catches them: KEDA accepts any metadata, and a failing webhook of KEDA accepts everything. Each mistake
lists the examples that show it, as `<rule>:<number of its failing example>`; a test runs them.
"""

from __future__ import annotations

from penstock_spec.kinds.family import family

FAMILIES = (
    family(
        1,
        {
            "the minimum is 0 and the trigger counts only pending messages: nothing is read, so nothing becomes "
            "pending": "pending-only-cannot-wake:2",
        },
    ),
    family(
        2,
        {
            "the scaling signal leaves out running messages, and the cooldown is shorter than the longest "
            "message": "signal-forgets-running:1",
        },
    ),
    family(
        3,
        {
            "a formula with pending messages and a minimum of 0, without a group and without `??` for the "
            "error": "formula-fails-without-group:1",
        },
    ),
    family(
        4,
        {
            "the grace period is shorter than the timeout plus the margin": "grace-shorter-than-timeout:1",
        },
    ),
    family(
        5,
        {
            "parameters of several modes in one trigger, so that its target is silently 5": (
                "trigger-modes-mixed:1 trigger-modes-mixed:4"
            ),
        },
    ),
    family(
        6,
        {
            "an activation of 1 or more, so that the first messages do not wake the pipeline": (
                "activation-swallows-first-messages:1 activation-swallows-first-messages:2"
            ),
            "a KEDA before 2.17, which refuses an activation of 0": "keda-too-old:1",
        },
    ),
    family(
        7,
        {
            "the oldest unread messages are dropped, but lag still counts them": "drop-oldest-breaks-lag:1",
            "entries ahead of the group are deleted, so lag is unknown": "lag-over-deleted-entries:1",
        },
    ),
    family(
        8,
        {
            "the stream's length is the scaling signal, but the stream keeps history": "xlen-counts-history:1",
            "the group is created at the end of the stream and skips waiting messages": "group-starts-at-end:1",
        },
    ),
    family(
        9,
        {
            "lag and pending messages as two triggers, of which the HPA uses the larger instead of the "
            "sum": "triggers-not-summed:1",
        },
    ),
    family(
        10,
        {
            "a trigger without a name, used with a formula": "trigger-without-name:1",
            "a trigger's name that a formula cannot use, such as one with a hyphen": "trigger-name-not-identifier:1",
            "a fallback with a fractional target, which disables the fallback": ("fractional-target-with-fallback:1"),
            "a formula that can become negative, which Kubernetes treats as the maximum": "formula-can-be-negative:1",
        },
    ),
    family(
        11,
        {
            "no fallback, so that an error freezes the number of pods": "no-fallback:1",
            "a fallback to 0 with a minimum of 0, so that an error stops all pods": "fallback-to-zero:1",
            "a fallback above the maximum": "fallback-above-max:1",
        },
    ),
    family(
        12,
        {
            "a password in plain text, in a file or in a trigger": "plaintext-password:3 password-in-trigger:1",
            "a password from the environment of a container that is not the first": "env-not-in-first-container:1",
            "TLS set in both the trigger and its authentication": "tls-named-twice:1",
            "lag on a Redis before 7, which does not report it": "redis-too-old-for-lag:1",
            "an access list that denies the scaler a command, such as `INFO`": "scaler-acl-too-narrow:2",
        },
    ),
    family(
        13,
        {
            "a trigger type that does not match the Redis topology": "wrong-trigger-for-topology:1",
            "sentinels without the name of the master": "sentinel-without-master:1",
            "a database other than 0 on a cluster": "database-on-cluster:1",
            "a dead letter key in another slot than the stream": "dead-letter-in-another-slot:1",
        },
    ),
    family(
        14,
        {
            "an idle count that is not below the minimum": "idle-not-below-min:1",
            "more pods than Redis accepts connections, of one pipeline or of all": (
                "replicas-exceed-connections:1 connections-exceeded:1"
            ),
            "`spec.replicas` set although it is autoscaled, and reset by every rollout": "replicas-beside-autoscaler:1",
            "two scalers for one Deployment": "two-scalers-one-target:1",
            "a name over 54 characters, which is too long for the name of the HPA": "name-too-long:1",
        },
    ),
    family(
        15,
        {
            "a lease under 10 s": "lease-too-short:1",
            "a lease that is close to the timeouts of the client": "lease-near-timeouts:1",
            "a target per pod far below the concurrency of a pod": "target-below-concurrency:1",
            "a polling interval although the pipeline never scales to zero": "poll-without-meaning:1",
            "a cooldown although the pipeline never scales to zero": "cooldown-without-meaning:1",
        },
    ),
    family(
        16,
        {
            "messages are deleted when done, but another spec reads the same stream": "until-done-with-other-readers:1",
        },
    ),
    family(
        17,
        {
            "a backlog limit below what all pods together run at a time": "backlog-below-capacity:1",
        },
    ),
    family(
        18,
        {
            "retries that last longer than messages are kept": "retries-outlive-retention:1",
            "retries that last longer than the deduplication window": "retries-outlive-dedup:1",
        },
    ),
    family(
        0,
        {
            "two specs read one stream as one group": "stream-group-shared:1",
            "one spec's dead letters are another's input": "dead-letter-read-as-input:1",
            "two specs with the same name": "name-used-twice:1",
            "all specs together need more connections than Redis accepts": "connections-exceeded:1",
        },
    ),
)
