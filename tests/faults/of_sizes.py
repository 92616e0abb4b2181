"""Large bodies, and many parked messages and consumers."""

from __future__ import annotations

from fault_journal import append
from pipelines import KEY

from .family import Family
from .of_processes import ALL, kill
from .storm import Storm

SIZES = (300_000, 1_000_000, 20_000_000)
PARKED = 1_000_000
CONSUMERS = 10_000
PAGE = 1_000
FAR = 10**15
"""A due time that never comes, in milliseconds."""
PARK = """
for n = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'data', '{"id": "later", "takes": 0}') end
local read = redis.call('XREADGROUP', 'GROUP', 'trial', '~parked', 'COUNT', 10 * ARGV[1], 'STREAMS', KEYS[1], '>')
for _, entry in ipairs(read[1][2]) do
  if string.find(entry[2][2], '"later"', 1, true) then redis.call('ZADD', KEYS[2], ARGV[2], entry[1]) end
end
"""
"""Adds entries that wait for a retry. Entries of senders that it reads beside them are parked without a due time."""
CONSUME = """
for n = 1, ARGV[1] do
  redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], 'trial', string.format('pod-%d~%08x', n, n))
end
"""
REMOVE = """
local ids = redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[2], '+inf', 'LIMIT', 0, ARGV[1])
if #ids == 0 then return 0 end
redis.call('XDEL', KEYS[1], unpack(ids))
redis.call('XACK', KEYS[1], 'trial', unpack(ids))
return redis.call('ZREM', KEYS[2], unpack(ids))
"""


def huge(storm: Storm) -> None:
    """A foreign sender adds bodies above `message.max_size`."""
    for number, size in enumerate(SIZES * 2):
        storm.pause(0.5, 1.5)
        body = f"bury-huge-{number}"
        append(storm.sent, "attempted", body)
        storm.ask("XADD", KEY, "*", "data", f'{{"id": "{body}", "takes": 0, "pad": "{"x" * size}"}}')
        append(storm.sent, "acknowledged", body)
        if number % 2:
            storm.rng.choice(storm.workers).kill()
    storm.pause(1, 3)


def many(storm: Storm) -> None:
    """A million parked messages and 10,000 consumers without a process, while workers are killed."""
    keys = (2, KEY, "{trial}:trial:parked")
    for _ in range(PARKED // PAGE):
        storm.ask("EVAL", PARK, *keys, PAGE, FAR)
    storm.ask("EVAL", CONSUME, 1, KEY, CONSUMERS)
    kill(storm)
    while storm.ask("EVAL", REMOVE, *keys, PAGE, FAR):
        pass


FAMILIES = (
    Family("huge", "Adds bodies of 0.3, 1 and 20 MB, above `message.max_size`, and kills workers.", ALL, huge),
    Family(
        "many",
        "Parks a million messages, adds 10,000 consumers without a process, and kills workers.",
        ALL,
        many,
        is_longest=True,
    ),
)
