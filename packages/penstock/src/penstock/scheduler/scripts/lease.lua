-- lease: a pod's life begins, goes on, or ends. One whose lease is over goes on as long as nobody has judged it lost: then its
-- jobs are still its own.
-- with  now, even_if_full
-- KEYS  1 pods
-- ARGV  1 life  2 ms that the lease holds  3 `begin`, `renew` or `end`
-- reply 1 Redis's time in ms  2 1 when the life goes on, else 0
local time = now()
if ARGV[3] == 'end' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return {time, 0}
end
if ARGV[3] == 'renew' and not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return {time, 0} end
even_if_full(KEYS[1])
redis.call('ZADD', KEYS[1], string.format('%.0f', time + ARGV[2]), ARGV[1])
return {time, 1}
