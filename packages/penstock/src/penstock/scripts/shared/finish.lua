-- The end of entries: acknowledged, and deleted where the stream keeps nothing and no other group reads it.
-- What may fail is asked before anything is removed; removal comes last, the entry's own after its acknowledgement: an entry
-- that was deleted first and still pends would be lost. Needs: in_chunks.
local function finish(stream, group, uncharged, crashed, ids, delete)
  if #ids == 0 then return end
  local counted, crashes = redis.call('HLEN', uncharged) > 0, redis.call('SCARD', crashed) > 0
  delete = delete and #redis.call('XINFO', 'GROUPS', stream) == 1
  in_chunks(ids, function(...) redis.call('XACK', stream, group, ...) end)
  if delete then in_chunks(ids, function(...) redis.call('XDEL', stream, ...) end) end
  if counted then in_chunks(ids, function(...) redis.call('HDEL', uncharged, ...) end) end
  if crashes then in_chunks(ids, function(...) redis.call('SREM', crashed, ...) end) end
end
