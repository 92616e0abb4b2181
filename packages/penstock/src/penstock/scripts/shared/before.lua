-- Whether an entry's id is before another's. The two numbers of an id are larger than Lua's are exact.
local function before(id, other)
  local ms, seq = string.match(id, '(%d+)-(%d+)')
  local other_ms, other_seq = string.match(other, '(%d+)-(%d+)')
  if #ms ~= #other_ms then return #ms < #other_ms end
  if ms ~= other_ms then return ms < other_ms end
  if #seq ~= #other_seq then return #seq < #other_seq end
  return seq < other_seq
end
