-- reconcile_left: removes records of entries that are not pending. Finishing an entry removes its records in the same step, so
-- an entry that is still in the stream was lost when its consumer was deleted, and is brought back by force. With foreign
-- workers in the group, one of them finished it. All other records are removed.
-- with  pending, even_if_full, free_deliveries, recorded, bring_back
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed  5 position
-- ARGV  1 group  2 cursor over the uncharged, or `end`  3 cursor over the crashed, or `end`  4 entries per page
--       5 `force` or `forget`
-- reply 1 and 2 the cursors, or `end`  3 entries removed  4 entries brought back
local stream, uncharged, crashed, group = KEYS[1], KEYS[3], KEYS[4], ARGV[1]
local nowhere, finished = {}, {}
local function check(id)
  if id == '~count' then return end
  local one, is_id = pending(stream, group, id)
  local these = is_id and ARGV[5] == 'force' and nowhere or finished
  if not one then these[#these + 1] = id end
end
local cursors = {ARGV[2], ARGV[3]}
if cursors[1] ~= 'end' then
  local reply = redis.call('HSCAN', uncharged, cursors[1], 'COUNT', ARGV[4])
  for i = 1, #reply[2], 2 do check(reply[2][i]) end
  cursors[1] = reply[1] == '0' and 'end' or reply[1]
end
if cursors[2] ~= 'end' then
  local reply = redis.call('HSCAN', crashed, cursors[2], 'COUNT', ARGV[4])
  for i = 1, #reply[2], 2 do check(reply[2][i]) end
  cursors[2] = reply[1] == '0' and 'end' or reply[1]
end
local back = bring_back(stream, group, KEYS[2], uncharged, crashed, KEYS[5], nowhere)
if #finished > 0 then
  redis.call('HDEL', uncharged, unpack(finished))
  redis.call('HDEL', crashed, unpack(finished))
end
return {cursors[1], cursors[2], #finished + #nowhere - back, back}
