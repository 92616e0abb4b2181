-- Ends entries: deletes them if the stream keeps nothing and no other group reads it, and acknowledges them. If another group
-- reads it, their ids are recorded in `finished`, so that they do not look unfinished when that group is gone.
-- Commands that may fail come before the first removal. The acknowledgement comes last: if the step ends half-way, its repeat
-- still finds the entry pending. An entry that is not pending but in the stream, or recorded, would look unfinished and run again.
-- Needs: in_chunks, even_if_full.
local function finish(stream, group, uncharged, crashed, finished, ids, delete)
  if #ids == 0 then return end
  local counted, crashes = redis.call('HLEN', uncharged) > 0, redis.call('HLEN', crashed) > 0
  if delete and #redis.call('XINFO', 'GROUPS', stream) > 1 then
    delete = false
    even_if_full(finished)
    in_chunks(ids, function(...) redis.call('SADD', finished, ...) end)
  end
  if delete then in_chunks(ids, function(...) redis.call('XDEL', stream, ...) end) end
  if counted then in_chunks(ids, function(...) redis.call('HDEL', uncharged, ...) end) end
  if crashes then in_chunks(ids, function(...) redis.call('HDEL', crashed, ...) end) end
  in_chunks(ids, function(...) redis.call('XACK', stream, group, ...) end)
end
