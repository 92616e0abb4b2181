"""The producer: sends messages as the spec says, and reports the result of each."""

from penstock.producer.errors import (
    BacklogFull,
    BreakerOpen,
    Closed,
    NotAsDescribed,
    NotSent,
    RedisAbsent,
    RedisRefused,
    SendError,
    TimedOut,
    TooLarge,
    Unknown,
)
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.producer.producer import Producer
from penstock.producer.sync import SyncProducer

__all__ = [
    "BacklogFull",
    "BreakerOpen",
    "Closed",
    "Duplicate",
    "Failed",
    "NotAsDescribed",
    "NotSent",
    "Outcome",
    "Producer",
    "RedisAbsent",
    "RedisRefused",
    "SendError",
    "Sent",
    "SyncProducer",
    "TimedOut",
    "TooLarge",
    "Unknown",
]
