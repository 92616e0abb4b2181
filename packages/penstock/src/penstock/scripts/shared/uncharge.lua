-- Adds deliveries of an entry that do not count as attempts. A second call for the same delivery count changes nothing, so that a
-- step that failed half-way can be repeated. Needs: free_deliveries.
local function uncharge(uncharged, id, count, more)
  local free, at = free_deliveries(redis.call('HGET', uncharged, id), count)
  if at ~= count then redis.call('HSET', uncharged, id, string.format('%.0f@%.0f', free + more, count)) end
end
