-- unregister: removes jobs. A running job finishes first; a paused one stays paused if it is registered again, unless it was
-- paused because it failed too often.
-- KEYS  1 waiting  2 jobs  3 story  4 paused  5 given_up  6 history
-- ARGV  1 remove only jobs that no pod has registered since this second of Redis time; 0 for all  2.. names
-- reply how many jobs were removed
local names = {}
local known = redis.call('HMGET', KEYS[2], unpack(ARGV, 2))
for place = 1, #ARGV - 1 do
  local seen = known[place] and tonumber(string.match(known[place], '(%d+)$'))
  if seen and (ARGV[1] == '0' or seen < tonumber(ARGV[1])) then names[#names + 1] = ARGV[place + 1] end
end
if #names == 0 then return 0 end
if redis.call('ZCARD', KEYS[5]) > 0 then
  local gave_up = {}
  for place, since in ipairs(redis.call('ZMSCORE', KEYS[5], unpack(names))) do
    if since then gave_up[#gave_up + 1] = names[place] end
  end
  if #gave_up > 0 then
    redis.call('ZREM', KEYS[4], unpack(gave_up))
    redis.call('ZREM', KEYS[5], unpack(gave_up))
  end
end
redis.call('ZREM', KEYS[1], unpack(names))
redis.call('HDEL', KEYS[3], unpack(names))
redis.call('HDEL', KEYS[6], unpack(names))
redis.call('HDEL', KEYS[2], unpack(names))
return #names
