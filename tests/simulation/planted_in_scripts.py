"""Bugs planted in the scripts, which the simulation must find."""

from __future__ import annotations

from .omissions import OMISSIONS, Omission, without
from .plan import Fault, Plan, PlannedMessage, Setup

COUNTED = "redis.call('XCLAIM', stream, group, consumer, 0, unpack(ids))"
UNCOUNTED = """(function()
  local all = {}
  for n, id in ipairs(ids) do
    all[n] = redis.call('XCLAIM', stream, group, consumer, 0, id, 'RETRYCOUNT', counts[id])[1] or false
  end
  return all
end)()"""
FORCED = ("reconcile_stream", "reconcile_due", "reconcile_left")
FINISHING = ("settle", "settle_with", "bury")

IN_SCRIPTS = (
    Omission(
        "a send trims the stream by its length",
        "stuck",
        "drains",
        scripts={"send": without("redis.pcall('XADD', stream, '*',", "redis.pcall('XADD', stream, 'MAXLEN', 1, '*',")},
    ),
    Omission(
        "the group starts at the end of the stream",
        "stuck",
        "race",
        scripts={"ensure": without("vanished and '$' or '0'", "'$'")},
    ),
    Omission(
        "a claim does not count as a delivery",
        "fence-twice",
        "drains",
        scripts={"claim": lambda text: without(COUNTED, UNCOUNTED)(text).replace(b"counts[id] + 1", b"counts[id]")},
    ),
    Omission(
        "a claim forgets which deliveries are not charged",
        "dead-early",
        "keys",
        scripts={"claim": without("(free_deliveries(free[inspected], count))", "count - count % 1000")},
    ),
    Omission(
        "a claim takes suspects as ready ones",
        "suspect-forgotten",
        "poison",
        scripts={"claim": without("free_of[id], owner, fields", "free_of[id], '~ready', fields")},
    ),
    Omission(
        "a claim takes more ready entries than it was asked for",
        "too-many-running",
        "race",
        scripts={"claim": without("claim('~ready', tonumber(ARGV[4]))", "claim('~ready', 50)")},
    ),
    Omission(
        "give back acknowledges",
        "dropped",
        "race",
        scripts={
            "give_back": without(
                "hand_over(stream, group, ARGV[i + 3], {ARGV[i]}, gone)", "redis.call('XACK', stream, group, ARGV[i])"
            )
        },
    ),
    Omission(
        "park acknowledges",
        "dropped",
        "race",
        scripts={
            "park": without(
                "hand_over(stream, group, '~parked', charged, gone)",
                "in_chunks(charged, function(...) redis.call('XACK', stream, group, ...) end)",
            )
        },
    ),
    Omission(
        "park does not wait",
        "retried-early",
        "race",
        scripts={"park": without("time + tonumber(ARGV[i + 2])", "time")},
    ),
    Omission(
        "park writes no due time",
        "index-differs",
        "race",
        scripts={"park": without("in_chunks(due, function(...) redis.call('ZADD', parked, ...) end)")},
    ),
    Omission(
        "park forgets a crash",
        "suspect-forgotten",
        "net",
        scripts={"park": without("if ARGV[i + 4] == '1' then", "if false then")},
    ),
    Omission(
        "bury writes before it checks the fence",
        "not-the-owner",
        "resend",
        scripts={"bury": without("if #ours == 1 then", "if true then")},
    ),
    Omission(
        "bury removes nothing",
        "stuck",
        "resend",
        scripts={
            "bury": without(
                "  finish(KEYS[1], ARGV[1], KEYS[3], KEYS[4], KEYS[5], {ARGV[8 + values]}", "  local _ = (KEYS[1]"
            )
        },
    ),
    Omission(
        "bury writes no dead letter",
        "dead-letters",
        "poison",
        scripts={"bury": without("letter and redis.call('XADD', KEYS[2], '*', unpack(letter)) or 0", "'0-1'")},
    ),
    Omission(
        "settle acknowledges and does not delete",
        "leftover",
        "race",
        scripts=dict.fromkeys(
            FINISHING, without("if delete then in_chunks(ids, function(...) redis.call('XDEL', stream, ...) end) end")
        ),
    ),
    Omission(
        "settle deletes and does not acknowledge",
        "double",
        "drains",
        scripts=dict.fromkeys(
            FINISHING, without("in_chunks(ids, function(...) redis.call('XACK', stream, group, ...) end)")
        ),
    ),
    Omission(
        "settle does not remember what it finished while another group reads",
        "double",
        "beside",
        scripts=dict.fromkeys(
            FINISHING, without("in_chunks(ids, function(...) redis.call('SADD', finished, ...) end)")
        ),
    ),
    Omission(
        "reconcile keeps what was finished while another group read",
        "double",
        "beside",
        scripts={
            "reconcile_stream": without("deleted = deleted + redis.call('XDEL', stream, id)", "deleted = deleted + 1")
        },
    ),
    Omission(
        "settle keeps the record of uncharged deliveries",
        "leftover",
        "net",
        scripts=dict.fromkeys(FINISHING, without("if counted then in_chunks(ids", "if false then in_chunks(ids")),
    ),
    Omission(
        "settle keeps the record of a crash",
        "leftover",
        "poison",
        scripts=dict.fromkeys(FINISHING, without("if crashes then in_chunks(ids", "if false then in_chunks(ids")),
    ),
    Omission(
        "renew renews a lease that is marked as lost",
        "renewed-after-loss",
        plan=next(one.plan for one in OMISSIONS if one.what == "the mark in take_over"),
        scripts={"renew": without(" or tonumber(ends) < 0 then", " then")},
    ),
    Omission(
        "renew extends nothing",
        "healthy-lost",
        "race",
        scripts={"renew": without("redis.call('ZADD', KEYS[1], now() + tonumber(ARGV[2]), ARGV[1])")},
    ),
    Omission(
        "take over makes entries ready",
        "too-many-attempts",
        "poison",
        scripts={"take_over": without("'~suspect', 0}", "'~ready', 0}")},
    ),
    Omission(
        "settle is refused while Redis is full",
        "refused-when-full",
        "pauses",
        scripts=dict.fromkeys((*FINISHING, "park", "give_back"), without("redis.call('PERSIST', key)")),
    ),
    Omission(
        "promote drops the due time first and hands nothing over",
        "stuck",
        "race",
        scripts={
            "promote": without(
                "if #redis.call('XCLAIM', stream, group, owner, 0, id, 'JUSTID') == 0 then", "if false then"
            )
        },
    ),
    Omission(
        "reconcile drops bodies without a due time",
        "stuck",
        "keys",
        scripts={
            "reconcile_delayed": without(
                "due = due + redis.call('ZADD', delayed, 'NX', now(), id)", "due = due + redis.call('HDEL', bodies, id)"
            )
        },
    ),
    Omission(
        "reconcile leaves parked entries without a due time",
        "stuck",
        plan=Plan(
            "no due time",
            Setup((PlannedMessage("m1", "bad"),), janitors=1, backoff=25.0, network="quick"),
            (Fault(2, "delete", what="parked"),),
        ),
        scripts={"reconcile_parked": without("for _, one in ipairs(pending) do", "for _, one in ipairs({}) do")},
    ),
)
