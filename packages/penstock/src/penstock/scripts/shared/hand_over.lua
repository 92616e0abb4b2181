-- Entries become a state's, with their delivery counts as they are. Notes in `gone` (id -> true) those that somebody else had
-- deleted from the stream: Redis 7 forgets them here, Redis 6 when they are claimed. Needs: in_chunks.
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
