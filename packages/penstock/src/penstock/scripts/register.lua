-- register: creates a consumer with a lease.
-- with  now, even_if_full
-- KEYS  1 stream  2 alive
-- ARGV  1 group  2 consumer  3 lease in ms
-- reply 1, or 0 if the name was used before: a name is never used twice
-- Fails with NOGROUP if the group is missing.
-- A lease without a consumer also means that the name was used: the consumer or the group was deleted.
if redis.call('ZSCORE', KEYS[2], ARGV[2]) then return 0 end
even_if_full(KEYS[2])
if redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('ZADD', KEYS[2], now() + tonumber(ARGV[3]), ARGV[2])
return 1
