-- overdue: finds consumers whose lease has expired. A Penstock consumer without a lease (Redis served a read after its worker had
-- died) gets one that is marked as lost, so that it can be taken expired when that has expired.
-- with  now, even_if_full
-- KEYS  1 stream  2 alive
-- ARGV  1 group  2 lease in ms  3 the most consumers to return
-- reply 1 Redis time  2 consumers that got a lease  3.. consumers whose lease has expired
local stream, alive = KEYS[1], KEYS[2]
local time, lease = now(), tonumber(ARGV[2])
local given = 0
for _, reply in ipairs(redis.call('XINFO', 'CONSUMERS', stream, ARGV[1])) do
  local name
  for i = 1, #reply, 2 do if reply[i] == 'name' then name = reply[i + 1] end end
  -- a Penstock consumer: `<name>~<8 letters and digits>`; names that begin with `~` are states
  if string.find(name, '^[^~].*~%w%w%w%w%w%w%w%w$') and not redis.call('ZSCORE', alive, name) then
    even_if_full(alive)
    redis.call('ZADD', alive, -(time + lease), name)
    given = given + 1
  end
end
local expired = redis.call('ZRANGEBYSCORE', alive, 0, time, 'LIMIT', 0, ARGV[3])
for _, name in ipairs(redis.call('ZRANGEBYSCORE', alive, -time, '(0', 'LIMIT', 0, ARGV[3])) do expired[#expired + 1] = name end
return {time, given, unpack(expired)}
