-- Reads a record of uncharged deliveries, `free@count`: how many there are, and the delivery count for which the last was added.
-- An earlier version wrote the first number only. If the record was deleted, a count that was set by force (see `bring_back`)
-- still shows it: its thousands are not attempts. A record of a higher count is from before a group was set back: counts have
-- started again. Returns both; the second is nil if it is unknown.
local function free_deliveries(record, count)
  local free, at = string.match(record or '', '^(%d+)@?(%d*)$')
  free, at = tonumber(free), tonumber(at)
  if at and count > 0 and count < at then free = nil end
  return free or count - count % 1000, at
end
