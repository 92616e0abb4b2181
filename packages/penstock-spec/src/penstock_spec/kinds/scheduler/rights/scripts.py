"""The commands that each script of a scheduler calls. Redis checks the user's permission for each of them.

A test compares this table with the scripts.
"""

from __future__ import annotations

from collections.abc import Mapping

CALLED: Mapping[str, frozenset[str]] = {
    name: frozenset(commands.split())
    for name, commands in {
        "acquire": (
            "get hget hmget hset hstrlen persist set time zadd zrangebyscore zrem zremrangebyrank zmscore zscore"
        ),
        "clean": "hdel hmget hset persist time zadd zcard zmscore zrange zrangebyscore zrem zremrangebyscore",
        "complete": "hdel hget hmget hset persist zadd zcard zmscore zrem",
        "give_up": "hdel hget hmget hset persist time zadd zcard zmscore zrem",
        "keep": "hmget hset persist zmscore",
        "lease": "persist time zadd zrem zscore",
        "look": "hmget time zcard zcount zrange zrangebyscore zscore",
        "pause": "hexists time zadd zrem zscore",
        "prune": "hdel hget zmscore",
        "register": "hmget hset time zadd zmscore",
        "release": "hdel hmget persist zadd zcard zmscore zrem",
        "resume": "hexists hget hset zadd zrem zscore",
        "run_now": "hget time zadd zscore",
        "unregister": "hdel hmget zcard zmscore zrem",
    }.items()
}
LEAD = frozenset({"del", "get", "persist", "set"})
"""The commands of the script for leader election, which janitors use too."""
