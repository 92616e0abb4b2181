-- Jobs leave the working set: to the waiting one, due when `due` says of each; where they are paused to the paused one; and
-- nowhere when nothing is known of them any more. Destination first, removal last.
local function hand_back(waiting, working, paused, jobs, owners, names, due)
  if #names == 0 then return end
  local known = redis.call('HMGET', jobs, unpack(names))
  local stops = redis.call('ZMSCORE', paused, unpack(names))
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
