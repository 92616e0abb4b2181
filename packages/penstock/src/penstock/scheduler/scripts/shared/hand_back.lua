-- Jobs leave the working set: to the waiting one, due when `due` says of each; where they are paused to the paused one; and
-- nowhere when nothing is `known` of them any more. Destination first, removal last.
local function hand_back(waiting, working, paused, owners, names, due, known)
  if #names == 0 then return end
  local stops = redis.call('ZCARD', paused) > 0 and redis.call('ZMSCORE', paused, unpack(names)) or {}
  local goes, stays = {}, {}
  for place, name in ipairs(names) do
    local priority = known[place] and string.match(known[place], '^%d+ (%d+)')
    if priority then
      local to = stops[place] and stays or goes
      to[#to + 1] = score(due[place], priority)
      to[#to + 1] = name
    end
  end
  if #goes > 0 then redis.call('ZADD', waiting, unpack(goes)) end
  if #stays > 0 then redis.call('ZADD', paused, unpack(stays)) end
  redis.call('HDEL', owners, unpack(names))
  redis.call('ZREM', working, unpack(names))
end
