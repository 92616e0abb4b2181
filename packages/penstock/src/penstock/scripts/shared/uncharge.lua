-- Adds deliveries of an entry that do not count as attempts. If the record was deleted, it restarts from the thousands of a
-- count that was set by force (see `claim`).
local function uncharge(uncharged, id, count, more)
  if count >= 1000 and redis.call('HEXISTS', uncharged, id) == 0 then more = more + count - count % 1000 end
  redis.call('HINCRBY', uncharged, id, more)
end
