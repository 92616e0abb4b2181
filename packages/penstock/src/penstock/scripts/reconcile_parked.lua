-- reconcile_parked: makes parked entries without a due time due now. The pending list is the truth, the sorted set an index.
-- with  now, even_if_full
-- KEYS  1 stream  2 parked
-- ARGV  1 group  2 where to continue: `-`, or `(` and an id  3 entries per page
-- reply 1 where to continue, or nothing at the end  2 due times that were missing
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], '+', ARGV[3], '~parked')
local repaired = 0
even_if_full(KEYS[2])
for _, one in ipairs(pending) do
  repaired = repaired + redis.call('ZADD', KEYS[2], 'NX', now(), one[1])
end
local full = #pending == tonumber(ARGV[3])
return {full and '(' .. pending[#pending][1] or '', repaired}
