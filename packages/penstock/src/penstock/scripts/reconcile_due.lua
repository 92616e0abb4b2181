-- reconcile_due: drops due times of entries that `~parked` does not own. An entry that is not pending was parked, and was lost
-- when `~parked` was deleted: if it is still in the stream, it is brought back by force.
-- with  pending, even_if_full, free_deliveries, recorded, bring_back
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed  5 position
-- ARGV  1 group  2 first rank  3 entries per page
-- reply 1 next rank, or -1 at the end  2 due times that were dropped: another consumer owns the entry, or it is no id
--       3 entries brought back  4 entries that were deleted from the stream
-- keeps every message: only due times are deleted
local stream, parked, group = KEYS[1], KEYS[2], ARGV[1]
local from, page = tonumber(ARGV[2]), tonumber(ARGV[3])
local ids = redis.call('ZRANGE', parked, from, from + page - 1)
local others, nowhere = {}, {}
for _, id in ipairs(ids) do
  local one, is_id = pending(stream, group, id)
  if is_id and not one then
    nowhere[#nowhere + 1] = id
  elseif not one or one[2] ~= '~parked' then
    others[#others + 1] = id
  end
end
local back = bring_back(stream, group, parked, KEYS[3], KEYS[4], KEYS[5], nowhere)
if #others > 0 then redis.call('ZREM', parked, unpack(others)) end
return {#ids == page and from + page - #others - #nowhere or -1, #others, back, #nowhere - back}
