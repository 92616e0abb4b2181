"""The commands that each script of the runtime calls. Redis checks the user's permission for each of them.

A test compares this table with the scripts.
"""

from __future__ import annotations

from collections.abc import Mapping

CALLED: Mapping[str, frozenset[str]] = {
    name: frozenset(commands.split())
    for name, commands in {
        "adopt": "hexists persist xclaim xpending xrange zscore",
        "bury": "get hdel hlen persist sadd scard set xack xadd xdel xinfo|groups xpending xrange",
        "claim": "hdel hget hlen hmget hset persist time xack xclaim xpending zscore",
        "deregister": "hincrby xgroup|delconsumer xpending zrem",
        "ensure": "del hdel hexists hget hmget hset persist time xack xclaim xgroup|create xgroup|setid xinfo|groups "
        "xinfo|stream xpending zrem",
        "give_back": "hdel hget hset persist xclaim xpending",
        "lead": "del get persist set",
        "measure": "hget scard time xinfo|consumers xinfo|groups xinfo|stream xlen xpending xrange zcard zrange zscore",
        "overdue": "persist time xinfo|consumers zadd zrangebyscore zscore",
        "park": "hdel hget hlen hset persist time xclaim xpending zadd zrem",
        "reconcile_delayed": "hexists hlen hscan time zadd zcard zrange zrem",
        "reconcile_due": "hdel hget hmget hset persist xclaim xpending zrange zrem",
        "reconcile_left": "hdel hget hmget hscan hset persist xclaim xpending zrem",
        "reconcile_parked": "persist time xpending zadd",
        "reconcile_stream": "hdel hget hmget hset persist scard sismember spop srandmember srem xack xclaim xdel"
        " xinfo|groups xlen xpending xrange zrem zscore",
        "register": "persist time xgroup|createconsumer zadd zscore",
        "remove_ghost": "persist xclaim xgroup|delconsumer xinfo|consumers xpending zscore",
        "renew": "persist time zadd zscore",
        "replay": "xadd xdel xrange",
        "send": "hdel hexists hset mget scard set time xadd xdel xinfo|groups xinfo|stream xlen xpending xrange zadd"
        " zcard",
        "settle": "hdel hlen persist sadd xack xdel xinfo|groups xpending",
        "settle_with": "hdel hlen persist sadd set xack xdel xinfo|groups xpending",
        "take_over": "hsetnx persist time xclaim xgroup|delconsumer xpending zadd zrem zscore",
        "promote": "hdel hexists hget hmget hset persist time xadd xclaim xinfo|groups xpending zrange"
        " zrangebyscore zrem",
        "recover": "hdel hget hmget hset persist xclaim xpending xrange zrem zscore",
        "remember": "hdel hmget hset persist xinfo|groups xpending",
        "trim": "hexists hkeys hlen hmget time xdel xinfo|groups xlen xpending xrange xtrim zcard zrange zscore",
        "trim_dead": "time xdel xrange xtrim",
    }.items()
}
