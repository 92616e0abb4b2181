-- trim: removes a page of finished entries from a stream that keeps history. Keeps every entry that a group has not finished.
-- with  now, groups, before, page
-- KEYS  1 stream  2 position  3 parked  4 uncharged  5 crashed
-- ARGV  1 `length` or `age`  2 entries to keep, or ms  3 the most entries to remove
--       4 bytes per page  5 this pipeline's group
-- reply 1 entries removed  2 1 if there is more to remove now
--       3 entries beyond the retention that stay because a group has not finished them; by age, at most one page
--       4 that group, or nothing
-- keeps entries that a group has not finished: nothing is removed while this pipeline's group is missing, or while entries of a
-- vanished one are left, which are not pending; and no entry is removed that is recorded as unfinished, pending or not: a foreign
-- client may just have deleted its consumer, and reconciling brings it back
-- Complete nodes of the stream go first, without reading what they contain. The rest of the first node is read and deleted by id.
-- With many records, all entries are read, and each is looked up.
local stream, position, parked, uncharged, crashed, MANY = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], 1000
local keep, most, bytes = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

-- Returns an id before another: the previous one if Lua can compute it. Ids chosen by senders may be huge.
local function previous(id)
  local ms, seq = string.match(id, '(%d+)-(%d+)')
  if #ms > 15 or ms == '0' then return '0-0' end
  if seq == '0' or #seq > 15 then return string.format('%.0f', tonumber(ms) - 1) .. '-18446744073709551615' end
  return ms .. '-' .. string.format('%.0f', tonumber(seq) - 1)
end

-- `finished`: every group has finished everything up to this entry. `last`: the same for one group.
local finished, holder, there
for _, one in ipairs(groups(stream)) do
  local pending = redis.call('XPENDING', stream, one['name'])
  local last = pending[1] > 0 and previous(pending[2]) or one['last-delivered-id']
  there = there or one['name'] == ARGV[5]
  if not finished or before(last, finished) then finished, holder = last, one['name'] end
end
if not there or redis.call('HEXISTS', position, 'left') == 1 then return {0, 0, 0, ''} end

local records = redis.call('ZCARD', parked) + redis.call('HLEN', uncharged) + redis.call('HLEN', crashed)
if records <= MANY then
  for _, ids in ipairs({redis.call('ZRANGE', parked, 0, -1), redis.call('HKEYS', uncharged), redis.call('HKEYS', crashed)}) do
    for _, id in ipairs(ids) do
      if string.find(id, '^%d+%-%d+$') and not before(finished, id) then finished, holder = previous(id), ARGV[5] end
    end
  end
end

-- Returns those of some entries that are not recorded as unfinished.
local function without_records(entries)
  local all, ids = {}, {}
  for i, entry in ipairs(entries) do all[i] = entry[1] end
  if records <= MANY or #all == 0 then return all end
  local free, lost = redis.call('HMGET', uncharged, unpack(all)), redis.call('HMGET', crashed, unpack(all))
  for i, id in ipairs(all) do
    if not free[i] and not lost[i] and not redis.call('ZSCORE', parked, id) then ids[#ids + 1] = id end
  end
  return ids
end

local beyond, to = most, finished
local oldest = string.format('%.0f', math.max(now() - keep, 1)) .. '-0'
if ARGV[1] == 'length' then
  beyond = redis.call('XLEN', stream) - keep
elseif not before(finished, oldest) then
  to = '(' .. oldest
end
if beyond <= 0 then return {0, 0, 0, ''} end
local up_to = to == finished and finished or oldest
local removed = records <= MANY and redis.call('XTRIM', stream, 'MINID', '~', up_to, 'LIMIT', math.min(most, beyond)) or 0
if removed > 0 then return {removed, (ARGV[1] == 'age' or removed < beyond) and 1 or 0, 0, ''} end
local entries, _, ended = page(stream, '-', to, math.min(most, beyond), bytes)
local ids = without_records(entries)
if #ids > 0 then redis.call('XDEL', stream, unpack(ids)) end
if not ended then return {#ids, #ids > 0 and (ARGV[1] == 'age' or #ids < beyond) and 1 or 0, 0, ''} end
local held = beyond - #ids
if ARGV[1] == 'age' then
  held = to == finished and #page(stream, '(' .. finished, '(' .. oldest, most, bytes) or 0
end
return {#ids, 0, held, held > 0 and holder or ''}
