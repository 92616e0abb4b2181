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
--       6 the fence of the first, one less than that of the second, and so on  7 names  8 the seconds they were due
--       9 the seconds of their deadlines, behind which their scores have the fence modulo a million  10 their stories
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
local all = #found / 2
if all == 0 then return answer end
local names, skips = {}, {}
for place = 1, all do names[place] = found[place * 2 - 1] end
for at = 6, #ARGV do skips[ARGV[at]] = true end
local known = redis.call('HMGET', jobs, unpack(names))
-- Most jobs say the same of themselves, so each of these is worked out once. Who holds a job is told in more than 64 bytes:
-- Redis keeps a hash of shorter ones as a list, as long as it has up to 512, and goes through that for each of them.
local ends, others, holder = {}, {}, {}
local function read(says)
  local timeout, shard = string.match(says, '^(%d+) %d+ (%d+)')
  others[says] = shards ~= '*' and shard and not string.find(shards, ',' .. shard .. ',', 1, true)
  ends[says] = timeout and math.ceil((time + timeout) / 1000) or 0
  return ends[says]
end
local fence = math.max(tonumber(redis.call('GET', KEYS[8]) or 0), micro)
local taken, dues, deadlines, scores, holds, count, passed = {}, {}, {}, {}, {}, 0, 0
for place = 1, all do
  if count == most then break end
  local name, says = names[place], known[place]
  local deadline = says and (ends[says] or read(says)) or 0
  local why = deadline == 0 and 5 or skips[name] and 4 or others[says] and 3
  if why then
    answer[why] = answer[why] + 1
    passed = passed + 1
  else
    count = count + 1
    local due = math.floor(found[place * 2])
    local hold = holder[due]
    if not hold then
      hold = string.format('%065.0f %s', due, ARGV[1])
      holder[due] = hold
    end
    taken[count], dues[count], deadlines[count] = name, due, deadline
    scores[count * 2 - 1], scores[count * 2] = string.format('%d.%06d', deadline, (fence + count) % 1000000), name
    holds[count * 2 - 1], holds[count * 2] = name, hold
  end
end
if all == look and count < most then answer[2] = from + passed end
if count == 0 then return answer end
even_if_full(working)
redis.call('SET', KEYS[8], string.format('%.0f', fence + count))
redis.call('HSET', KEYS[5], unpack(holds))
redis.call('ZADD', working, unpack(scores))
if from + passed == 0 then
  redis.call('ZREMRANGEBYRANK', waiting, 0, count - 1) -- they are the first, and going through them once is cheaper
else
  redis.call('ZREM', waiting, unpack(taken))
end
answer[6], answer[7], answer[8], answer[9] = fence + 1, taken, dues, deadlines
answer[10] = redis.call('HMGET', KEYS[7], unpack(taken))
return answer
