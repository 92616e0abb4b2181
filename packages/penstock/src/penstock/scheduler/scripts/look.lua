-- look: counts jobs. It changes nothing.
-- Entries that are not registered count neither as ready nor as overdue, if they are among the first hundred due entries. With
-- shards, ready jobs are counted among the first thousand, and extrapolated.
-- with  now
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 given_up  6 again
-- ARGV  1 `*`, or shards as `,0,3,`
-- reply 1 Redis time in ms  2 waiting  3 working  4 paused  5 due jobs of these shards  6 the second at which the oldest
--       of them was due, or 0  7 1 while all jobs are paused  8 jobs that are paused because they failed too often
--       9 at most a hundred running jobs that a person asked to run again
local time = now()
local before = string.format('(%.0f', math.floor(time / 1000) + 1)
local ready = redis.call('ZCOUNT', KEYS[1], '-inf', before)
local oldest, all_shards = 0, ARGV[1] == '*'
if ready > 0 then
  local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', before, 'WITHSCORES', 'LIMIT', 0, all_shards and 100 or 1000)
  local names, ours = {}, 0
  for at = 1, #entries, 2 do names[#names + 1] = entries[at] end
  for place, known in ipairs(redis.call('HMGET', KEYS[4], unpack(names))) do
    local shard = known and string.match(known, '^%d+ %d+ (%d+)')
    if shard and (all_shards or string.find(ARGV[1], ',' .. shard .. ',', 1, true)) then
      ours = ours + 1
      if ours == 1 then oldest = math.floor(entries[place * 2]) end
    end
  end
  ready = all_shards and ready - #names + ours or math.ceil(ready * ours / #names)
end
local all = redis.call('ZSCORE', KEYS[3], '*') and 1 or 0
return {
  time, redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[3]) - all, ready,
  oldest, all, redis.call('ZCARD', KEYS[5]), redis.call('ZRANGE', KEYS[6], 0, 99),
}
