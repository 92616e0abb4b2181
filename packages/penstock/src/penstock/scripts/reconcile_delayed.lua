-- reconcile_delayed: makes a delayed body without a due time due now, and drops a due time without a body: its message is lost.
-- with  now
-- KEYS  1 delayed  2 bodies
-- ARGV  1 cursor over the bodies, or `end`  2 first rank in the due times, or -1  3 entries per page
-- reply 1 cursor, or `end`  2 next rank, or -1  3 bodies that are due now  4 due times that were dropped
-- Does nothing while both have the same size: then equally many due times and bodies are missing, and both are repaired when
-- they are due.
local delayed, bodies = KEYS[1], KEYS[2]
local cursor, from, page = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if cursor == '0' and from == 0 and redis.call('ZCARD', delayed) == redis.call('HLEN', bodies) then
  return {'end', -1, 0, 0}
end
local due, dropped = 0, 0
local BYTES = 256 * 1024

-- Before Redis 7.4, HSCAN returns the bodies too: then read a few at a time, up to a page of bytes.
local function scan(seen)
  local reply = redis.pcall('HSCAN', bodies, cursor, 'COUNT', page, 'NOVALUES')
  if not reply.err then return reply[1], reply[2], BYTES end
  reply = redis.call('HSCAN', bodies, cursor, 'COUNT', 2)
  local ids = {}
  for i = 1, #reply[2], 2 do
    ids[#ids + 1] = reply[2][i]
    seen = seen + #reply[2][i + 1] + 1000
  end
  return reply[1], ids, seen
end
local seen = 0
while cursor ~= 'end' and seen < BYTES do
  local ids
  cursor, ids, seen = scan(seen)
  for _, id in ipairs(ids) do due = due + redis.call('ZADD', delayed, 'NX', now(), id) end
  if cursor == '0' then cursor = 'end' end
end
if from >= 0 then
  local ids = redis.call('ZRANGE', delayed, from, from + page - 1)
  for _, id in ipairs(ids) do
    if redis.call('HEXISTS', bodies, id) == 0 then dropped = dropped + redis.call('ZREM', delayed, id) end
  end
  from = #ids == page and from + page - dropped or -1
end
return {cursor, from, due, dropped}
