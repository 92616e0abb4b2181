-- overdue: consumers whose lease is over. A consumer of our kind without a lease (a read that ran late, after its worker
-- had died) is given one that is marked as lost, so that it can be taken over when that has run out.
-- with  now, even_if_full
-- KEYS  1 stream  2 alive
-- ARGV  1 group  2 lease in ms  3 the most to tell
-- reply 1 Redis's time  2 consumers that were given a lease  3.. consumers whose lease is over
local stream, alive = KEYS[1], KEYS[2]
local time, lease = now(), tonumber(ARGV[2])
local given = 0
for _, told in ipairs(redis.call('XINFO', 'CONSUMERS', stream, ARGV[1])) do
  local name
  for i = 1, #told, 2 do if told[i] == 'name' then name = told[i + 1] end end
  -- an incarnation: `<name>~<eight letters and digits>`; names that begin with `~` are states
  if string.find(name, '^[^~].*~%w%w%w%w%w%w%w%w$') and not redis.call('ZSCORE', alive, name) then
    even_if_full(alive)
    redis.call('ZADD', alive, -(time + lease), name)
    given = given + 1
  end
end
local over = redis.call('ZRANGEBYSCORE', alive, 0, time, 'LIMIT', 0, ARGV[3])
for _, name in ipairs(redis.call('ZRANGEBYSCORE', alive, -time, '(0', 'LIMIT', 0, ARGV[3])) do over[#over + 1] = name end
return {time, given, unpack(over)}
