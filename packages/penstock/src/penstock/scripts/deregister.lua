-- deregister: a consumer that owns nothing ends. Deleting one that owns something would drop what it owns.
-- What it cut off is remembered with the group: nobody scrapes a process in the seconds between that and its end.
-- KEYS  1 stream  2 alive  3 position
-- ARGV  1 group  2 consumer  3 messages that the end of its drain cut off
-- reply 1, also when it had ended before, or 0 when it still owns something
-- keeps P7 (a consumer is deleted only when it owns nothing)
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
local ended = redis.call('ZREM', KEYS[2], ARGV[2]) == 1
if ended and ARGV[3] ~= '0' then redis.call('HINCRBY', KEYS[3], 'cut', ARGV[3]) end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
