-- renew: renews a consumer's lease. A lease that was marked as lost stays lost.
-- with  now, even_if_full
-- KEYS  1 alive
-- ARGV  1 consumer  2 lease in ms
-- reply 1, or 0 if the lease is lost
local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends or tonumber(ends) < 0 then return 0 end
even_if_full(KEYS[1]) -- or all leases would expire while Redis is full
redis.call('ZADD', KEYS[1], now() + tonumber(ARGV[2]), ARGV[1])
return 1
