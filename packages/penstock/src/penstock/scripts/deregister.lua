-- deregister: deletes a consumer that owns nothing. Deleting a consumer that owns entries would drop them.
-- Records how many messages its drain cut off, because no scrape reaches a process in its last seconds.
-- KEYS  1 stream  2 alive  3 position
-- ARGV  1 group  2 consumer  3 messages that the end of its drain cut off
-- reply 1 if it is deleted, also if it was before; 0 if it still owns something
-- keeps a consumer that owns entries
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
local ended = redis.call('ZREM', KEYS[2], ARGV[2]) == 1
if ended and ARGV[3] ~= '0' then redis.call('HINCRBY', KEYS[3], 'cut', ARGV[3]) end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
