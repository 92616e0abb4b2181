-- acquire: what is due becomes this life's, each until a deadline of its own. Lower scores go first, and names in their order
-- where scores are the same.
-- The score in the working set is the deadline, and behind it a fraction that no other run of the job has. What a run's
-- effects are fenced by is another number: it only grows, and is at no time under Redis's own in millionths of a second, so
-- that it grows also where Redis has lost everything.
-- with  even_if_full
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 pods  7 story  8 fence
-- ARGV  1 life  2 the most to take  3 how many to look at  4 how many of the first to pass over
--       5 `*`, or the shards of this life as `,0,3,`  6.. names that are not for it
-- reply `lost` when the life is over; else
--       1 Redis's time in ms  2 how many of the first to pass over when it asks at once for more, or 0 when all was seen
--       3 jobs passed over of other shards, 4 not for it, 5 of which nothing is known
--       6.. a job each: name, the second it was due, its working score in millionths, its fence, its story
-- keeps S3, S4 (working first, removal last), S6, S7
local waiting, working, jobs, shards = KEYS[1], KEYS[2], KEYS[4], ARGV[5]
local most, look, from = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not redis.call('ZSCORE', KEYS[6], ARGV[1]) then return 'lost' end
local clock = redis.call('TIME')
local micro = clock[1] * 1000000 + clock[2]
local time = math.floor(micro / 1000)
local answer = {time, 0, 0, 0, 0}
if redis.call('ZSCORE', KEYS[3], '*') then return answer end
local before = string.format('(%.0f', math.floor(time / 1000) + 1)
local found = redis.call('ZRANGEBYSCORE', waiting, '-inf', before, 'WITHSCORES', 'LIMIT', from, look)
if #found == 0 then return answer end
local names, skips = {}, {}
for at = 1, #found, 2 do names[#names + 1] = found[at] end
for at = 6, #ARGV do skips[ARGV[at]] = true end
local known = redis.call('HMGET', jobs, unpack(names))
local fence = math.max(tonumber(redis.call('GET', KEYS[8]) or 0), micro)
local taken, scores, holds, rows, passed = {}, {}, {}, {}, 0
for place, name in ipairs(names) do
  if #taken == most then break end
  local timeout, shard = string.match(known[place] or '', '^(%d+) %d+ (%d+)')
  local why = not timeout and 5 or skips[name] and 4
    or shards ~= '*' and not string.find(shards, ',' .. shard .. ',', 1, true) and 3
  if why then
    answer[why] = answer[why] + 1
    passed = passed + 1
  else
    fence = fence + 1
    local deadline, fraction = math.ceil((time + timeout) / 1000), fence % 1000000
    taken[#taken + 1] = name
    scores[#taken * 2 - 1], scores[#taken * 2] = string.format('%.0f.%06.0f', deadline, fraction), name
    local due = math.floor(found[place * 2])
    holds[#taken * 2 - 1], holds[#taken * 2] = name, string.format('%.0f %s', due, ARGV[1])
    rows[#taken] = {name, due, deadline * 1000000 + fraction, fence}
  end
end
if #names == look and #taken < most then answer[2] = from + passed end
if #taken == 0 then return answer end
even_if_full(working)
redis.call('SET', KEYS[8], string.format('%.0f', fence))
redis.call('HSET', KEYS[5], unpack(holds))
redis.call('ZADD', working, unpack(scores))
if from + passed == 0 then
  redis.call('ZREMRANGEBYRANK', waiting, 0, #taken - 1) -- they are the first, and going through them once is cheaper
else
  redis.call('ZREM', waiting, unpack(taken))
end
for place, story in ipairs(redis.call('HMGET', KEYS[7], unpack(taken))) do
  rows[place][5] = story or ''
  answer[5 + place] = rows[place]
end
return answer
