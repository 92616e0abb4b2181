-- Gives entries to the consumer of a state, and keeps their delivery counts. Records in `gone` (id -> true) entries that
-- somebody else deleted from the stream: Redis 7 drops them here, Redis 6 when they are claimed. Needs: in_chunks.
local function hand_over(stream, group, state, ids, gone)
  in_chunks(ids, function(...)
    local words = {...}
    words[#words + 1] = 'JUSTID'
    local told = redis.call('XCLAIM', stream, group, state, 0, unpack(words))
    if #told == #words - 1 then return end
    local there = {}
    for _, id in ipairs(told) do there[id] = true end
    for _, id in ipairs({...}) do gone[id] = not there[id] or nil end
  end)
end
