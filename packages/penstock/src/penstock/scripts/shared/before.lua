-- Whether an entry id is before another. Ids are compared as text, because their numbers exceed Lua's exact range.
local function before(id, other)
  local ms, seq = string.match(id, '(%d+)-(%d+)')
  local other_ms, other_seq = string.match(other, '(%d+)-(%d+)')
  if #ms ~= #other_ms then return #ms < #other_ms end
  if ms ~= other_ms then return ms < other_ms end
  if #seq ~= #other_seq then return #seq < #other_seq end
  return seq < other_seq
end
