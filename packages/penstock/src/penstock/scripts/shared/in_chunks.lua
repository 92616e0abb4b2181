-- Passes many values to `call`, a thousand at a time: Lua cannot pass more than a few thousand at once.
local function in_chunks(values, call)
  for from = 1, #values, 1000 do call(unpack(values, from, math.min(from + 999, #values))) end
end
