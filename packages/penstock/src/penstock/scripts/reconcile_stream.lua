-- reconcile_stream: repairs entries that were delivered and are not pending, if the stream keeps no finished entries. They are
-- unfinished and brought back by force. With foreign workers in the group, one of them finished them, and they are deleted,
-- except those with a due time: they were parked.
-- While entries of a vanished group remain (see `ensure`), each page is one of those, and all its entries are unfinished, except
-- those in `finished`.
-- Otherwise, with several groups on the stream, nothing is done.
-- Entries that were finished while another group read the stream stay for that group (see `finish`). When this pipeline's
-- group is the only one again, they are deleted first, page by page and by id: other entries below the highest id may be
-- unfinished and not pending.
-- While another group reads the stream, ids of entries that somebody deleted are removed from `finished`: they would make the backlog
-- look smaller than it is.
-- with  groups, page, even_if_full, free_deliveries, recorded, bring_back
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed  5 position  6 finished
-- ARGV  1 group  2 where to continue: `-`, or `(` and an id  3 entries per page  4 bytes per page  5 `force` or `delete`;
--       or `history` if finished entries stay: then only entries of a vanished group are brought back
-- reply 1 where to continue, or nothing at the end  2 entries brought back  3 entries deleted
--       4 1 while entries of a vanished group remain
--       5 entries deleted that were finished while another group read the stream
--       6 finished ids removed, because somebody deleted their entries
-- keeps every unfinished message
local stream, parked, uncharged, crashed, position, known = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local group, from = ARGV[1], ARGV[2]
local function is_pending(id) return redis.call('XPENDING', stream, group, id, id, 1)[1] end
local all = groups(stream)
local last, not_done -- the last entry that was delivered; pending and unread entries, as far as Redis knows
for _, one in ipairs(all) do
  if one['name'] == group then
    last, not_done = one['last-delivered-id'], one['pending'] + (tonumber(one['lag'] or nil) or 0)
  end
end
if not last then return {'', 0, 0, 0, 0, 0} end

-- Whether a finished entry is still in the stream. Claimed by force, Redis 7 checks that without reading the body; an older one does
-- not check.
local bytes = tonumber(ARGV[4])
local function is_there(id)
  if not redis.REDIS_VERSION_NUM then
    local entry = redis.call('XRANGE', stream, id, id)[1]
    for _, value in ipairs(entry and entry[2] or {}) do bytes = bytes - #value end
    return entry
  end
  local there = #redis.call('XCLAIM', stream, group, '~ready', 0, id, 'FORCE', 'JUSTID') > 0
  if there then redis.call('XACK', stream, group, id) end
  return there
end

-- Checks a random page, but only if there are more ids than the stream has entries for.
local function forget_deleted()
  if redis.call('SCARD', known) + not_done <= redis.call('XLEN', stream) then return 0 end
  even_if_full(position)
  local dropped = 0
  for _, id in ipairs(redis.call('SRANDMEMBER', known, ARGV[3])) do
    if bytes <= 0 then break end
    if not string.find(id, '^%d+%-%d+$') or is_pending(id) or not is_there(id) then
      dropped = dropped + redis.call('SREM', known, id)
    end
  end
  return dropped
end

local left = redis.call('HGET', position, 'left')
if #all == 1 and ARGV[5] ~= 'history' then
  local ids, deleted = redis.call('SPOP', known, ARGV[3]), 0
  for _, id in ipairs(ids) do
    -- Skip members that are not ids, and entries that were delivered again after they were finished.
    if string.find(id, '^%d+%-%d+$') and not is_pending(id) then deleted = deleted + redis.call('XDEL', stream, id) end
  end
  if #ids > 0 then return {from == '-' and '' or from, 0, 0, left and 1 or 0, deleted, 0} end
end
if left then
  from, last = left, redis.call('HGET', position, 'until')
elseif ARGV[5] == 'history' then
  return {'', 0, 0, 0, 0, 0}
elseif #all > 1 then
  return {'', 0, 0, 0, 0, forget_deleted()}
end

-- Goes from one pending entry to the next, because XPENDING returns ids without bodies, and reads only what lies between them.
local nowhere, finished, most = {}, {}, tonumber(ARGV[3])
local place, ended = from, false
local function read(to)
  local room = most - #nowhere - #finished
  if room <= 0 or bytes <= 0 then return false end
  local entries, size, complete = page(stream, place, to, room, bytes)
  bytes = bytes - size
  for _, entry in ipairs(entries) do
    if not (left and ARGV[5] ~= 'history' and redis.call('SISMEMBER', known, entry[1]) == 1) then
      local unfinished = left or ARGV[5] == 'force' or redis.call('ZSCORE', parked, entry[1])
      local these = unfinished and nowhere or finished
      these[#these + 1] = entry[1]
    end
  end
  if not complete then place = '(' .. entries[#entries][1] end
  return complete
end
local rows = redis.call('XPENDING', stream, group, from, last, most)
local complete = true
for _, one in ipairs(rows) do
  complete = read('(' .. one[1])
  if not complete then break end
  place = '(' .. one[1]
end
if complete and #rows < most then ended = read(last) end
bring_back(stream, group, parked, uncharged, crashed, position, nowhere)
if #finished > 0 then redis.call('XDEL', stream, unpack(finished)) end
local next = ended and '' or place
if left then
  even_if_full(position)
  if ended then redis.call('HDEL', position, 'left', 'until') else redis.call('HSET', position, 'left', next) end
end
return {next, #nowhere, #finished, left and not ended and 1 or 0, 0, 0}
