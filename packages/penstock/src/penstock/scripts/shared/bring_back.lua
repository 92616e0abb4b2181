-- Makes entries of the stream that are not pending ready again, by force. Their new delivery count is higher than any earlier
-- one, so that no fence repeats, and none of it counts as an attempt. The highest count is stored in two places, in case one is
-- deleted. Redis 7 skips entries that were deleted from the stream; Redis 6 claims them, and the worker that claims them next
-- notices.
-- Returns how many were brought back. Needs: even_if_full.
local function bring_back(stream, group, parked, uncharged, crashed, position, ids)
  if #ids == 0 then return 0 end
  local highest = tonumber(redis.call('HGET', uncharged, '~count')) or 0
  local count = math.max(highest, tonumber(redis.call('HGET', position, 'count')) or 0) + 1000
  even_if_full(position)
  redis.call('HSET', position, 'count', count)
  local counts, claim = {'~count', count}, {'XCLAIM', stream, group, '~ready', 0}
  for i, id in ipairs(ids) do
    counts[2 * i + 1], counts[2 * i + 2] = id, count
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
