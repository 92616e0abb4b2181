-- prune: removes entries of limits whose runs have all left the working set: accounts come and go.
-- KEYS  1 working  2 limits
-- ARGV  1.. labels and values, as fields of `limits`
-- reply how many were removed
-- keeps each entry with a run that still holds a place
local gone = {}
for _, group in ipairs(ARGV) do
  local scores, names = {}, {}
  for score, name in string.gmatch(redis.call('HGET', KEYS[2], group) or '', '(%S+) (%S+)') do
    scores[#scores + 1], names[#names + 1] = score, name
  end
  local is_held = false
  for at = 1, #names, 1000 do
    for place, score in ipairs(redis.call('ZMSCORE', KEYS[1], unpack(names, at, math.min(#names, at + 999)))) do
      is_held = is_held or score and tonumber(score) == tonumber(scores[at + place - 1])
    end
  end
  if not is_held then gone[#gone + 1] = group end
end
return #gone > 0 and redis.call('HDEL', KEYS[2], unpack(gone)) or 0
