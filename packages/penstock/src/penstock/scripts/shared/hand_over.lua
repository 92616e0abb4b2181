-- Assigns entries to the consumer of a state, and keeps their delivery counts. Records in `gone` (id -> true) entries that
-- were deleted from the stream: Redis 7 drops them here, Redis 6 when they are claimed. Needs: in_chunks.
local function hand_over(stream, group, state, ids, gone)
  in_chunks(ids, function(...)
    local arguments = {...}
    arguments[#arguments + 1] = 'JUSTID'
    local reply = redis.call('XCLAIM', stream, group, state, 0, unpack(arguments))
    if #reply == #arguments - 1 then return end
    local there = {}
    for _, id in ipairs(reply) do there[id] = true end
    for _, id in ipairs({...}) do gone[id] = not there[id] or nil end
  end)
end
