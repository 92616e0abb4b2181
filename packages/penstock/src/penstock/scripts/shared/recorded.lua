-- Returns what `remember` recorded of a stream that keeps history: its unfinished entries (id -> delivery count and attempts), and
-- the last id that the record covers, or nil. An earlier version recorded only an id up to which everything was finished.
local function recorded(position)
  local covers, packed, last = unpack(redis.call('HMGET', position, 'covers', 'unfinished', 'last'))
  local unfinished = {}
  local readable, values = pcall(cmsgpack.unpack, packed or '')
  if not covers or not readable or type(values) ~= 'table' then return unfinished, last or nil end
  for i = 1, #values, 3 do unfinished[values[i]] = {values[i + 1], values[i + 2]} end
  return unfinished, covers
end
