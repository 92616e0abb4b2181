-- take_over: makes a page of a lost consumer's entries suspect. The lease is marked as lost before the first page, so that a
-- process that slept and wakes between two pages cannot come back. When nothing is left, the consumer is deleted in the same step.
-- The caller's last answer from Redis must be recent: while Redis stood still, nobody could renew.
-- with  now, even_if_full
-- KEYS  1 stream  2 alive
-- ARGV  1 group  2 lease in ms  3 consumer  4 entries per page  5 Redis time of the caller's last answer
-- reply 1 `done`, `more`, `none` (no such lease), `alive`, or `stale` (ask again, then come back)
--       2 entries that are suspect now  3 entries that had left the stream, dropped  4 Redis time
-- keeps P7 (a consumer is deleted only when it owns nothing)
local stream, alive, group, consumer = KEYS[1], KEYS[2], ARGV[1], ARGV[3]
local time, lease = now(), tonumber(ARGV[2])
if time - tonumber(ARGV[5]) > lease / 3 then return {'stale', 0, 0, time} end
local ends = redis.call('ZSCORE', alive, consumer)
if not ends then return {'none', 0, 0, time} end
ends = math.abs(tonumber(ends))
if ends > time then return {'alive', 0, 0, time} end
even_if_full(alive)
redis.call('ZADD', alive, -ends, consumer)
local ids = {}
for i, one in ipairs(redis.call('XPENDING', stream, group, '-', '+', ARGV[4], consumer)) do ids[i] = one[1] end
local taken, gone = 0, 0
if #ids > 0 then
  local words = {'XCLAIM', stream, group, '~suspect', 0}
  for _, id in ipairs(ids) do words[#words + 1] = id end
  words[#words + 1] = 'JUSTID'
  taken = #redis.call(unpack(words))
  gone = #ids - taken
end
if redis.call('XPENDING', stream, group, '-', '+', 1, consumer)[1] then return {'more', taken, gone, time} end
redis.call('XGROUP', 'DELCONSUMER', stream, group, consumer)
redis.call('ZREM', alive, consumer)
return {'done', taken, gone, time}
