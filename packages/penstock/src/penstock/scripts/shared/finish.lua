-- The end of entries: acknowledged, and deleted where the stream keeps nothing and no other group reads it. Where one does,
-- it is remembered which were finished: once that group is gone, they must not look like entries that nobody finished.
-- What may fail is asked before anything is removed; removal comes last, the entry's own after its acknowledgement: an entry
-- that was deleted first and still pends would be lost. Needs: in_chunks, even_if_full.
local function finish(stream, group, uncharged, crashed, finished, ids, delete)
  if #ids == 0 then return end
  local counted, crashes = redis.call('HLEN', uncharged) > 0, redis.call('HLEN', crashed) > 0
  if delete and #redis.call('XINFO', 'GROUPS', stream) > 1 then
    delete = false
    even_if_full(finished)
    in_chunks(ids, function(...) redis.call('SADD', finished, ...) end)
  end
  in_chunks(ids, function(...) redis.call('XACK', stream, group, ...) end)
  if delete then in_chunks(ids, function(...) redis.call('XDEL', stream, ...) end) end
  if counted then in_chunks(ids, function(...) redis.call('HDEL', uncharged, ...) end) end
  if crashes then in_chunks(ids, function(...) redis.call('HDEL', crashed, ...) end) end
end
