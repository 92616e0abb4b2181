-- Makes entries of the stream that are pending nowhere ready again, by force. Their delivery count is above any count given
-- before, so that no fence is given twice, and none of it counts as an attempt. The highest count is kept in two places,
-- because somebody may delete one. Redis 7 skips entries that have left the stream; Redis 6 claims them, and the worker that
-- claims them next finds out.
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
  for _, word in ipairs({'RETRYCOUNT', count, 'FORCE', 'JUSTID'}) do claim[#claim + 1] = word end
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
