-- clean: inspects a page of a set. Jobs of lost consumers become due again after their deadline, for the second at which they
-- were due; entries that cannot be jobs are removed.
-- A consumer is lost if it is not in `pods`. With `judge`, consumers with an expired lease are removed from `pods`.
-- A job of a live consumer stays until its deadline plus the threshold, a job of a lost one until its deadline: its pod may
-- only be suspended, and continue the run later.
-- The record marks the run as lost, so that the next pod knows that it had begun, and for which second.
-- with  now, even_if_full, score, lost, hand_back
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 pods  7 story
-- ARGV  1 `working` or `waiting`  2 the rank at which the page starts  3 its size  4 the threshold after a deadline in ms
--       5 `judge`, or `leave` while leases may have expired because Redis was down  6 `*`, or shards as `,0,3,`
--       7 `remove` or `keep` names that are only digits
-- reply 1 where the next page starts, or -1 at the end  2 jobs that are due again  3 removed entries of unregistered names
--       4 removed entries whose names are only digits  5 consumers that are lost now
-- keeps each registered job in at least one set, and each run of a live consumer until the threshold
local runs = ARGV[1] == 'working'
local set, from, size, time = runs and KEYS[2] or KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), now()
local newly_lost = 0
if runs and ARGV[5] == 'judge' then
  newly_lost = redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', string.format('(%.0f', time))
end
local entries = redis.call('ZRANGE', set, from, from + size - 1, 'WITHSCORES')
if #entries == 0 then return {-1, 0, 0, 0, newly_lost} end
local names = {}
for at = 1, #entries, 2 do names[#names + 1] = entries[at] end
local known = redis.call('HMGET', KEYS[4], unpack(names))
local holders, consumers, since, ends = redis.call('HMGET', KEYS[5], unpack(names)), {}, {}, {}
for place in ipairs(names) do
  since[place], consumers[place] = string.match(holders[place] or '', '^(%d+) (.+)$')
  consumers[place] = consumers[place] or ''
end
ends = redis.call('ZMSCORE', KEYS[6], unpack(consumers))
local back, due, registrations, scores, gone, unknown, numeric = {}, {}, {}, {}, {}, 0, 0
for place, name in ipairs(names) do
  local shard = known[place] and string.match(known[place], '^%d+ %d+ (%d+)')
  local over = time - entries[place * 2] * 1000
  local free = over >= tonumber(ARGV[4]) or over >= 0 and not ends[place]
  if string.find(name, '^%d+$') and ARGV[7] == 'remove' and (not runs or free) then
    numeric = numeric + 1
    gone[#gone + 1] = name
  elseif not shard then
    if not runs or free then
      unknown = unknown + 1
      gone[#gone + 1] = name
    end
  elseif runs and free and (ARGV[6] == '*' or string.find(ARGV[6], ',' .. shard .. ',', 1, true)) then
    back[#back + 1], registrations[#registrations + 1] = name, known[place]
    due[#due + 1] = tonumber(since[place]) or math.floor(time / 1000)
    scores[#scores + 1] = {math.floor(entries[place * 2]), consumers[place]}
  end
end
if #back + #gone > 0 then even_if_full(set) end
if #back > 0 then
  local records, was = {}, redis.call('HMGET', KEYS[7], unpack(back))
  for place, name in ipairs(back) do
    local deadline, consumer = unpack(scores[place])
    records[#records + 1] = name
    records[#records + 1] = lost(was[place], due[place], deadline, string.match(registrations[place], '^%d+'), time, consumer)
  end
  redis.call('HSET', KEYS[7], unpack(records))
end
hand_back(KEYS[1], KEYS[2], KEYS[3], KEYS[5], back, due, registrations)
if #gone > 0 then
  redis.call('HDEL', KEYS[4], unpack(gone))
  if runs then redis.call('HDEL', KEYS[5], unpack(gone)) end
  redis.call('ZREM', set, unpack(gone))
end
return {#names < size and -1 or from + #names - #back - #gone, #back, unknown, numeric, newly_lost}
