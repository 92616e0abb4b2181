-- take_over: makes a page of a lost consumer's entries suspect. The lease is marked as lost before the first page, so that a
-- suspended process that continues between two pages cannot renew it. When nothing is left, the same step deletes the consumer.
-- The caller's last answer from Redis must be recent: while Redis was unavailable, no consumer could renew its lease.
-- If finished entries stay, each suspect is recorded in `crashed` until it is claimed, so that a deleted `~suspect` loses none
-- (see `reconcile_left`).
-- with  now, even_if_full
-- KEYS  1 stream  2 alive  3 crashed
-- ARGV  1 group  2 lease in ms  3 consumer  4 entries per page  5 Redis time of the caller's last answer
--       6 1 if the stream keeps no finished entries
-- reply 1 `done`, `more`, `none` (no such lease), `alive`, or `stale` (the last answer is too old)
--       2 entries that are suspect now  3 entries that were deleted from the stream, now dropped  4 Redis time
-- keeps a consumer that owns entries: Redis would drop them with it
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
for i, one in ipairs(redis.call('XPENDING', stream, group, '-', '+', ARGV[4], consumer)) do
  ids[i] = one[1]
  if ARGV[6] ~= '1' then redis.call('HSETNX', KEYS[3], one[1], 'lost') end
end
local moved, gone = 0, 0
if #ids > 0 then
  local command = {'XCLAIM', stream, group, '~suspect', 0}
  for _, id in ipairs(ids) do command[#command + 1] = id end
  command[#command + 1] = 'JUSTID'
  moved = #redis.call(unpack(command))
  gone = #ids - moved
end
if redis.call('XPENDING', stream, group, '-', '+', 1, consumer)[1] then return {'more', moved, gone, time} end
redis.call('XGROUP', 'DELCONSUMER', stream, group, consumer)
redis.call('ZREM', alive, consumer)
return {'done', moved, gone, time}
