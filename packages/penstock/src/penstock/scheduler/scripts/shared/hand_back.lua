-- Moves jobs out of the working set: to the waiting set, due at the second in `due`; to the paused set if they are paused; to
-- no set if `known` does not have them. A job in `again` is due at the second in its score at the latest, and leaves that
-- set. Adds to the destination first and removes last.
local function hand_back(waiting, working, paused, owners, again, names, due, known)
  if #names == 0 then return end
  local asked = redis.call('ZCARD', again) > 0 and redis.call('ZMSCORE', again, unpack(names)) or {}
  local stops = redis.call('ZCARD', paused) > 0 and redis.call('ZMSCORE', paused, unpack(names)) or {}
  local goes, stays, go, stay = {}, {}, 0, 0
  local tails, fractions = {}, {} -- of scores, by registration and by priority: many jobs have the same
  for place = 1, #names do
    local registration = known[place]
    local tail = registration and tails[registration]
    if registration and not tail then
      local priority = string.match(registration, '^%d+ (%d+)')
      tail = priority and (fractions[priority] or string.sub(score(0, priority), 2))
      if tail then fractions[priority] = tail end
      tails[registration] = tail
    end
    if tail then
      if asked[place] and tonumber(asked[place]) < tonumber(due[place]) then
        due[place] = string.format('%.0f', asked[place])
      end
      if stops[place] then
        stays[stay + 1], stays[stay + 2] = due[place] .. tail, names[place]
        stay = stay + 2
      else
        goes[go + 1], goes[go + 2] = due[place] .. tail, names[place]
        go = go + 2
      end
    end
  end
  if go > 0 then redis.call('ZADD', waiting, unpack(goes)) end
  if stay > 0 then redis.call('ZADD', paused, unpack(stays)) end
  redis.call('HDEL', owners, unpack(names))
  if next(asked) then redis.call('ZREM', again, unpack(names)) end
  redis.call('ZREM', working, unpack(names))
end
