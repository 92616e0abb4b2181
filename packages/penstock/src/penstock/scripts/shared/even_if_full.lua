-- What follows is not refused by a Redis whose memory is full: it refuses what may need room only while a script has written
-- nothing, so this is a write that changes nothing. For steps through which work ends or goes on: what holds them back would
-- keep Redis full.
local function even_if_full(key)
  redis.call('PERSIST', key)
end
