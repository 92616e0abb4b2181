-- What XPENDING tells of one entry, or nothing. Something that is no id, which somebody else put there, is not pending.
-- Returns whether it is an id at all, as the second value.
local function pending(stream, group, id)
  if not string.find(id, '^%d+%-%d+$') then return nil, false end
  local told = redis.pcall('XPENDING', stream, group, id, id, 1)
  if not told.err then return told[1], true end
  if string.find(told.err, 'Invalid stream ID') then return nil, false end
  return redis.call('XPENDING', stream, group, id, id, 1)[1], true -- fails as it did
end
