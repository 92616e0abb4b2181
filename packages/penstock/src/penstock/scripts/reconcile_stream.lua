-- reconcile_stream: repairs entries that were delivered and are not pending, if the stream keeps no finished entries. They are
-- unfinished and brought back by force. With foreign workers in the group, one of them finished them, and they are deleted,
-- except those with a due time: they were parked.
-- While entries of a vanished group remain (see `ensure`), each page is one of those, and all its entries are unfinished.
-- Otherwise, with several groups on the stream, nothing is done.
-- Entries that were finished while another group read the stream stay for that group (see `finish`). When this pipeline's
-- group is the only one again, they are deleted first, page by page and by id: other entries below the highest id may be
-- unfinished and not pending.
-- with  groups, page, even_if_full, bring_back
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed  5 position  6 finished
-- ARGV  1 group  2 where to continue: `-`, or `(` and an id  3 entries per page  4 bytes per page  5 `force` or `delete`
-- reply 1 where to continue, or nothing at the end  2 entries brought back  3 entries deleted
--       4 1 while entries of a vanished group remain
--       5 entries deleted that were finished while another group read the stream
-- keeps every unfinished message
local stream, parked, uncharged, crashed, position, known = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local group, from = ARGV[1], ARGV[2]
local function is_pending(id) return redis.call('XPENDING', stream, group, id, id, 1)[1] end
local all = groups(stream)
local last -- the last entry that was delivered
for _, one in ipairs(all) do
  if one['name'] == group then last = one['last-delivered-id'] end
end
if not last then return {'', 0, 0, 0, 0} end
local left = redis.call('HGET', position, 'left')
if #all == 1 then
  local ids, deleted = redis.call('SPOP', known, ARGV[3]), 0
  for _, id in ipairs(ids) do
    -- Skip members that are not ids, and entries that were delivered again after they were finished.
    if string.find(id, '^%d+%-%d+$') and not is_pending(id) then deleted = deleted + redis.call('XDEL', stream, id) end
  end
  if #ids > 0 then return {from == '-' and '' or from, 0, 0, left and 1 or 0, deleted} end
end
if left then
  from, last = left, redis.call('HGET', position, 'until')
elseif #all > 1 then
  return {'', 0, 0, 0, 0}
end
local entries, _, ended = page(stream, from, last, tonumber(ARGV[3]), tonumber(ARGV[4]))
local nowhere, finished = {}, {}
if #entries > 0 then
  local pending, most = {}, 2 * #entries
  local range = redis.call('XPENDING', stream, group, entries[1][1], entries[#entries][1], most)
  for _, one in ipairs(range) do pending[one[1]] = true end
  for _, entry in ipairs(entries) do
    local id = entry[1]
    if not pending[id] and (#range < most or not is_pending(id)) then
      local unfinished = left or ARGV[5] == 'force' or redis.call('ZSCORE', parked, id)
      local these = unfinished and nowhere or finished
      these[#these + 1] = id
    end
  end
  bring_back(stream, group, parked, uncharged, crashed, position, nowhere)
  if #finished > 0 then redis.call('XDEL', stream, unpack(finished)) end
end
local next = ended and '' or '(' .. entries[#entries][1]
if left then
  even_if_full(position)
  if ended then redis.call('HDEL', position, 'left', 'until') else redis.call('HSET', position, 'left', next) end
end
return {next, #nowhere, #finished, left and not ended and 1 or 0, 0}
