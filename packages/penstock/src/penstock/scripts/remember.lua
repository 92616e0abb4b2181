-- remember: records what the group has not finished in a stream that keeps history, with the attempts that have ended. If the group vanishes or is
-- set back, only this is brought back (see `ensure`). The record covers the stream up to the last entry that was delivered; with
-- more unfinished entries than fit, up to the last one that fits.
-- with  groups, before, even_if_full, free_deliveries
-- KEYS  1 stream  2 uncharged  3 position
-- ARGV  1 group  2 the most entries to record  3 attempts of a message; at least one is left to each
-- reply 1 entries recorded, or -1 if nothing was recorded: the group is missing or was set back, or entries of a vanished one are
--       left, which are unfinished and not pending
-- keeps an earlier record until then
local stream, uncharged, position, group, most = KEYS[1], KEYS[2], KEYS[3], ARGV[1], tonumber(ARGV[2])
local last
for _, one in ipairs(groups(stream)) do
  if one['name'] == group then last = one['last-delivered-id'] end
end
local read, left = unpack(redis.call('HMGET', position, 'read', 'left'))
if not last or left or (read and before(last, read)) then return -1 end
local rows = redis.call('XPENDING', stream, group, '-', '+', most)
local ids, values = {}, {}
for i, row in ipairs(rows) do ids[i] = row[1] end
local records = #ids > 0 and redis.call('HMGET', uncharged, unpack(ids)) or {}
for i, row in ipairs(rows) do
  local count = row[4]
  local free = free_deliveries(records[i], count)
  values[#values + 1] = row[1]
  values[#values + 1] = count
  local has_ended = row[2] == '~parked' or row[2] == '~ready'
  values[#values + 1] = math.min(count - free - (has_ended and 0 or 1), tonumber(ARGV[3]) - 1)
end
local covers = #rows < most and last or rows[#rows][1]
even_if_full(position)
redis.call('HSET', position, 'covers', covers, 'read', last, 'unfinished', cmsgpack.pack(values))
redis.call('HDEL', position, 'last') -- the record of an earlier version
return #rows
