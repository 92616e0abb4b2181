-- Returns XPENDING of one entry, or nil. A member that is not an id, from a foreign client, is not pending.
-- The second value says whether it is an id.
local function pending(stream, group, id)
  if not string.find(id, '^%d+%-%d+$') then return nil, false end
  local reply = redis.pcall('XPENDING', stream, group, id, id, 1)
  if not reply.err then return reply[1], true end
  if string.find(reply.err, 'Invalid stream ID') then return nil, false end
  return redis.call('XPENDING', stream, group, id, id, 1)[1], true -- raises the same error
end
