-- deregister: a consumer that owns nothing ends. Deleting one that owns something would drop what it owns.
-- KEYS  1 stream  2 alive
-- ARGV  1 group  2 consumer
-- reply 1, also when it had ended before, or 0 when it still owns something
-- keeps P7 (a consumer is deleted only when it owns nothing)
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
