-- lease: registers a pod's consumer, renews its lease, or deregisters it. An expired lease can be renewed until another pod
-- marks the consumer as lost, with a score below 0: until then it still has its jobs.
-- with  now, even_if_full
-- KEYS  1 pods
-- ARGV  1 consumer  2 the lease in ms  3 `begin`, `renew` or `end`
-- reply 1 Redis time in ms  2 1 if the consumer is registered, else 0
local time = now()
if ARGV[3] == 'end' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return {time, 0}
end
if ARGV[3] == 'renew' and tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1) < 0 then return {time, 0} end
even_if_full(KEYS[1])
redis.call('ZADD', KEYS[1], string.format('%.0f', time + ARGV[2]), ARGV[1])
return {time, 1}
