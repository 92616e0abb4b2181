-- Makes entries of the stream that are not pending ready again, by force. Their new delivery count is higher than any earlier
-- one, so that no fence repeats. Attempts that are known, from the record of uncharged deliveries or from `remember`, still
-- count; nothing else of the new count does. The highest count is stored in two places, in case one is deleted. Redis 7
-- skips entries that were deleted from the stream; Redis 6 claims them, and the worker that claims them next notices.
-- Returns how many were brought back. Needs: even_if_full, free_deliveries, recorded.
local function bring_back(stream, group, parked, uncharged, crashed, position, ids)
  if #ids == 0 then return 0 end
  local records = redis.call('HMGET', uncharged, unpack(ids))
  local unfinished, attempts = recorded(position), {}
  local highest = math.max(
    tonumber(redis.call('HGET', uncharged, '~count')) or 0, tonumber(redis.call('HGET', position, 'count')) or 0
  )
  for i, id in ipairs(ids) do
    local free, at = free_deliveries(records[i], 0)
    local count, had = unpack(unfinished[id] or {0, 0})
    if at and at >= count then count, had = at, at - free end
    attempts[i] = math.max(had, 0)
    highest = math.max(highest, count - count % 1000)
  end
  local count = highest + 1000
  even_if_full(position)
  redis.call('HSET', position, 'count', count)
  local counts, claim = {'~count', count}, {'XCLAIM', stream, group, '~ready', 0}
  for i, id in ipairs(ids) do
    counts[2 * i + 1], counts[2 * i + 2] = id, string.format('%.0f@%.0f', count - attempts[i], count)
    claim[#claim + 1] = id
  end
  for _, argument in ipairs({'RETRYCOUNT', count, 'FORCE', 'JUSTID'}) do claim[#claim + 1] = argument end
  redis.call('HSET', uncharged, unpack(counts))
  local claimed = redis.call(unpack(claim))
  redis.call('ZREM', parked, unpack(ids))
  redis.call('HDEL', crashed, unpack(ids))
  if #claimed < #ids then
    local there = {}
    for _, id in ipairs(claimed) do there[id] = true end
    for _, id in ipairs(ids) do
      if not there[id] then redis.call('HDEL', uncharged, id) end
    end
  end
  return #claimed
end
