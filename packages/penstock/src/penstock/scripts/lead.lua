-- lead: the lock of a leader. It only prevents double work; each script is safe without it.
-- with  even_if_full
-- KEYS  1 lock
-- ARGV  1 the caller  2 ms until the lock expires, or 0 to release it
-- reply 1 if the caller has the lock now, else 0
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 0
end
even_if_full(KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
