-- renew: the lease of a consumer, for all that it holds. One that was marked as lost stays lost.
-- with  now, even_if_full
-- KEYS  1 alive
-- ARGV  1 consumer  2 lease in ms
-- reply 1, or 0 when the lease is lost
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) < 0 then return 0 end
even_if_full(KEYS[1]) -- a full Redis must not look like the death of everyone
redis.call('ZADD', KEYS[1], now() + tonumber(ARGV[2]), ARGV[1])
return 1
