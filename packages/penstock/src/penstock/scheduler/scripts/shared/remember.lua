-- Adds a run to the history of each job: newest first, one JSON array per line that starts with the second of its end. Keeps
-- at most `keep` runs, none that ended more than `age` seconds before the new one. 0 keeps none.
local function remember(history, names, lines, keep, age)
  if #names == 0 then return end
  if keep == 0 then
    redis.call('HDEL', history, unpack(names))
    return
  end
  local before, values = keep > 1 and redis.call('HMGET', history, unpack(names)) or {}, {}
  for place = 1, #names do
    local line, old = lines[place], before[place]
    if old and string.sub(old, 1, #line) == line then
      line = old -- it was added before, and what followed failed
    elseif old then
      local oldest = (tonumber(string.match(line, '^%[(%d+)')) or 0) - age
      local at, last = 1, 0
      for _ = 2, keep do
        local ended = tonumber(string.match(old, '^%[(%d+)', at))
        if not ended or ended < oldest then break end
        last = (string.find(old, '\n', at, true) or #old + 1) - 1
        at = last + 2
      end
      if last > 0 then line = line .. '\n' .. string.sub(old, 1, last) end
    end
    values[place * 2 - 1], values[place * 2] = names[place], line
  end
  redis.call('HSET', history, unpack(values))
end
