-- So many deliveries of an entry more do not count as attempts. Where somebody deleted the account, it begins with what a
-- count that was given by force still tells (see `claim`).
local function uncharge(uncharged, id, count, more)
  if count >= 1000 and redis.call('HEXISTS', uncharged, id) == 0 then more = more + count - count % 1000 end
  redis.call('HINCRBY', uncharged, id, more)
end
