-- unregister: jobs are known no more, and wait no more. One that runs ends, and goes nowhere; one that is paused stays so,
-- should it come again.
-- KEYS  1 waiting  2 jobs  3 story
-- ARGV  1 only those that nobody has registered since this second of Redis's time; 0 for all  2.. names
-- reply how many were known
local names = {}
local known = redis.call('HMGET', KEYS[2], unpack(ARGV, 2))
for place = 1, #ARGV - 1 do
  local seen = known[place] and tonumber(string.match(known[place], '(%d+)$'))
  if seen and (ARGV[1] == '0' or seen < tonumber(ARGV[1])) then names[#names + 1] = ARGV[place + 1] end
end
if #names == 0 then return 0 end
redis.call('ZREM', KEYS[1], unpack(names))
redis.call('HDEL', KEYS[3], unpack(names))
redis.call('HDEL', KEYS[2], unpack(names))
return #names
