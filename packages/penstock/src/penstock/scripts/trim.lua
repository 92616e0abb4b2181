-- trim: removes a page of finished entries from a stream that keeps history. Keeps every entry that a group has not finished.
-- with  now, groups, before, page
-- KEYS  1 stream  2 position
-- ARGV  1 `length` or `age`  2 entries to keep, or ms  3 the most entries to remove
--       4 bytes per page  5 this pipeline's group
-- reply 1 entries removed  2 1 if there is more to remove now
--       3 entries beyond the retention that stay because a group has not finished them; by age, at most one page
--       4 that group, or nothing
-- keeps entries that a group has not finished: nothing is removed while this pipeline's group is missing, or while entries of a
-- vanished one are left, which are not pending
-- Complete nodes of the stream go first, without reading what they contain. The rest of the first node is read and deleted by id.
local stream, position = KEYS[1], KEYS[2]
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

local beyond, to = most, finished
local oldest = string.format('%.0f', math.max(now() - keep, 1)) .. '-0'
if ARGV[1] == 'length' then
  beyond = redis.call('XLEN', stream) - keep
elseif not before(finished, oldest) then
  to = '(' .. oldest
end
if beyond <= 0 then return {0, 0, 0, ''} end
local up_to = to == finished and finished or oldest
local removed = redis.call('XTRIM', stream, 'MINID', '~', up_to, 'LIMIT', math.min(most, beyond))
if removed > 0 then return {removed, (ARGV[1] == 'age' or removed < beyond) and 1 or 0, 0, ''} end
local entries, _, ended = page(stream, '-', to, math.min(most, beyond), bytes)
local ids = {}
for i, entry in ipairs(entries) do ids[i] = entry[1] end
if #ids > 0 then redis.call('XDEL', stream, unpack(ids)) end
if not ended then return {#ids, (ARGV[1] == 'age' or #ids < beyond) and 1 or 0, 0, ''} end
local held = beyond - #ids
if ARGV[1] == 'age' then
  held = to == finished and #page(stream, '(' .. finished, '(' .. oldest, most, bytes) or 0
end
return {#ids, 0, held, held > 0 and holder or ''}
