-- acquire: assigns due jobs to this consumer, each until a deadline. Lower scores go first; equal scores go by name.
-- The score in the working set is the deadline plus a fraction that is unique among the job's runs. The fence of a run is
-- another number: it only grows, and is never below Redis time in microseconds, so it also grows after Redis lost its data.
-- A job whose labels have no place free in their limits waits, and does not hold up the jobs behind it. The entries of
-- limits may list thousands of runs, so a call reads some of them, and all in turn.
-- with  even_if_full, limited
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 pods  7 story  8 fence  9 limits
-- ARGV  1 consumer  2 the most jobs to assign  3 how many to inspect  4 how many to skip at the start
--       5 `*`, or the shards of this consumer as `,0,3,`  6 the limits by label as `account=3,region=5`, or nothing
--       7.. names to skip
-- reply `lost` if the consumer is not registered, or marked as lost; else
--       1 Redis time in ms  2 how many the next call skips at the start, or 0 if all were inspected, or -1 if some were not
--       and the next call skips none
--       3 skipped jobs of other shards, 4 with names to skip, 5 that are not registered, 6 that wait for a limit
--       7 the fence of the first job; each further job has one more  8 names  9 the seconds at which they were due
--       10 the seconds of their deadlines; a score has the fence modulo a million as its fraction  11 their last records
-- keeps each registered job in at least one set: adds to `working` first; fences only grow; no more jobs with the same label
--       than its limit are in `working`, of those that were acquired with it: writes `limits` before `working`
local waiting, working, jobs, shards = KEYS[1], KEYS[2], KEYS[4], ARGV[5]
local most, look, from = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if tonumber(redis.call('ZSCORE', KEYS[6], ARGV[1]) or -1) < 0 then return 'lost' end
local clock = redis.call('TIME')
local micro = clock[1] * 1000000 + clock[2]
local time = math.floor(micro / 1000)
local answer = {time, 0, 0, 0, 0, 0}
if redis.call('ZSCORE', KEYS[3], '*') then return answer end
local before = string.format('(%.0f', math.floor(time / 1000) + 1)
local candidates = redis.call('ZRANGEBYSCORE', waiting, '-inf', before, 'WITHSCORES', 'LIMIT', from, look)
local all = #candidates / 2
if all == 0 then return answer end
local names, skips = {}, {}
for place = 1, all do names[place] = candidates[place * 2 - 1] end
for at = 7, #ARGV do skips[ARGV[at]] = true end
local known = redis.call('HMGET', jobs, unpack(names))
-- Many jobs have the same settings, so each text is parsed once. An owner is padded to more than 64 bytes: Redis keeps up to
-- 512 shorter values of a hash as a list, and would scan that list for each of them.
local ends, others, holder = {}, {}, {}
local function read(registration)
  local timeout, shard = string.match(registration, '^(%d+) %d+ (%d+)')
  others[registration] = shards ~= '*' and shard and not string.find(shards, ',' .. shard .. ',', 1, true)
  ends[registration] = timeout and math.ceil((time + timeout) / 1000) or 0
  return ends[registration]
end
local fence = math.max(tonumber(redis.call('GET', KEYS[8]) or 0), micro)
local free, take, entries, has_read_enough = limited(KEYS[9], working, ARGV[6], known, micro)
local acquired, dues, deadlines, scores, holds, count, passed, has_stopped = {}, {}, {}, {}, {}, 0, 0, false
for place = 1, all do
  has_stopped = count < most and free and has_read_enough()
  if has_stopped or count == most then break end
  local name, registration = names[place], known[place]
  local deadline = registration and (ends[registration] or read(registration)) or 0
  local position = deadline == 0 and 5 or skips[name] and 4 or others[registration] and 3 or free and not free(registration) and 6
  if position then
    answer[position] = answer[position] + 1
    passed = passed + 1
  else
    count = count + 1
    local due = math.floor(candidates[place * 2])
    local hold = holder[due]
    if not hold then
      hold = string.format('%065.0f %s', due, ARGV[1])
      holder[due] = hold
    end
    acquired[count], dues[count], deadlines[count] = name, due, deadline
    local score = string.format('%d.%06d', deadline, (fence + count) % 1000000)
    scores[count * 2 - 1], scores[count * 2] = score, name
    if take then take(registration, score, name) end
    holds[count * 2 - 1], holds[count * 2] = name, hold
  end
end
if (all == look or has_stopped) and count < most then answer[2] = from + passed end
if has_stopped and answer[2] == 0 then answer[2] = -1 end
if count == 0 then return answer end
even_if_full(working)
redis.call('SET', KEYS[8], string.format('%.0f', fence + count))
redis.call('HSET', KEYS[5], unpack(holds))
for group, runs in pairs(entries or {}) do redis.call('HSET', KEYS[9], group, table.concat(runs, ' ')) end
redis.call('ZADD', working, unpack(scores))
if from + passed == 0 then
  redis.call('ZREMRANGEBYRANK', waiting, 0, count - 1) -- they are the first, which one range removes more cheaply
else
  redis.call('ZREM', waiting, unpack(acquired))
end
answer[7], answer[8], answer[9], answer[10] = fence + 1, acquired, dues, deadlines
answer[11] = redis.call('HMGET', KEYS[7], unpack(acquired))
return answer
