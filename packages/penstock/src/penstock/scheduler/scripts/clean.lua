-- clean: inspects a page of a set. Jobs of lost consumers become due again, for the second at which they were due; entries
-- that cannot be jobs are removed.
-- A run that was lost with its consumer counts as a failure: it may have crashed its pod. After the first of several in a row
-- the job is due at once, then after a growing wait. After two it is a suspect: its further runs count only if they are marked
-- as alone (see `keep`), and then too many failures in a row pause it, as `give_up` does.
-- `judge` marks each consumer with an expired lease as lost: its score in `pods` becomes the time of the mark, below 0, so that
-- it cannot renew. Marks stay until a complete pass ends a lease later: a judge that dies half-way leaves them to other pods,
-- and a pass that misses entries, because others move, is repeated.
-- A job of a live consumer stays until its deadline plus the threshold, and until a judge sees it: while Redis was down, its pod
-- could not keep it. If its pod keeps it (see `keep`), it stays as long as the consumer lives. A job of a
-- consumer that is not in `pods`, or of no consumer, stays until its deadline: the key may have been deleted while pods run.
-- The record marks the run as lost, so that the next pod knows that it had begun, and for which second.
-- with  now, even_if_full, score, lost, hand_back, remember
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 pods  7 story  8 history  9 again  10 given_up
-- ARGV  1 `working`, `overdue` (the part of `working` whose deadline is over) or `waiting`  2 the rank at which the page starts
--       3 its size  4 the threshold after a deadline in ms
--       5 `judge`, or `leave` while leases may have expired because Redis was down  6 `*`, or shards as `,0,3,`
--       7 `remove` or `keep` names that are only digits  8 the lease in ms, after which marks are removed
--       9 `deadline` if jobs of lost consumers stay until their deadline, or `lease`
--       10 the runs to keep in a history  11 their age in seconds
--       12 failures in a row after which a job is paused, or 0  13 the wait in ms after the second lost run in a row  14 its
--       growth with each further one  15 the longest wait in ms  16 the share by which a wait varies at random
-- reply 1 where the next page starts, or -1 at the end  2 jobs that are due again  3 removed entries of unregistered names
--       4 removed entries whose names are only digits  5 consumers that are lost now
--       6 four values for each job that was lost twice in a row or more often: its name, the lost runs in a
--       row, the failures in a row, and the second at which it is due, or 0 if it is paused
-- keeps each registered job in at least one set, and each run of a live consumer until the threshold
local runs = ARGV[1] ~= 'waiting'
local set, from, size, time = runs and KEYS[2] or KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), now()
local newly_lost, repeated = 0, {}
math.randomseed(time)
local function wait(losses)
  if losses < 2 then return 0 end
  local longest = tonumber(ARGV[15])
  local usual = math.min(ARGV[13] * ARGV[14] ^ (losses - 2), longest)
  return math.min(usual * (1 + ARGV[16] * (2 * math.random() - 1)), longest)
end
if ARGV[1] == 'working' and ARGV[5] == 'judge' then
  local marks = {}
  for _, consumer in ipairs(redis.call('ZRANGEBYSCORE', KEYS[6], 0, string.format('(%.0f', time), 'LIMIT', 0, 1000)) do
    marks[#marks + 1], marks[#marks + 2] = string.format('-%.0f', time), consumer
  end
  if #marks > 0 then
    newly_lost = #marks / 2
    even_if_full(KEYS[6])
    redis.call('ZADD', KEYS[6], unpack(marks))
  end
end
local entries
if ARGV[1] == 'overdue' then
  entries = redis.call('ZRANGEBYSCORE', set, '-inf', time / 1000, 'WITHSCORES', 'LIMIT', from, size)
else
  entries = redis.call('ZRANGE', set, from, from + size - 1, 'WITHSCORES')
end
local function end_of_pass()
  if #entries == size * 2 or ARGV[1] ~= 'working' then return end
  redis.call('ZREMRANGEBYSCORE', KEYS[6], string.format('-%.0f', time - ARGV[8]), '(0')
end
if #entries == 0 then
  end_of_pass()
  return {-1, 0, 0, 0, newly_lost, {}}
end
local names = {}
for at = 1, #entries, 2 do names[#names + 1] = entries[at] end
local known = redis.call('HMGET', KEYS[4], unpack(names))
local holders, consumers, since, kept = redis.call('HMGET', KEYS[5], unpack(names)), {}, {}, {}
for place in ipairs(names) do
  since[place], consumers[place], kept[place] = string.match(holders[place] or '', '^(%d+) (%S+) ?(%a*)$')
  consumers[place] = consumers[place] or ''
end
local leases = redis.call('ZMSCORE', KEYS[6], unpack(consumers))
local function is_free(place, over)
  local lease = tonumber(leases[place] or nil)
  if lease and lease >= 0 then
    return ARGV[5] == 'judge' and over >= tonumber(ARGV[4]) and kept[place] ~= 'kept'
  end
  return over >= 0 or lease and ARGV[9] == 'lease'
end
local back, due, registrations, scores, gone, unknown, numeric = {}, {}, {}, {}, {}, 0, 0
for place, name in ipairs(names) do
  local shard = known[place] and string.match(known[place], '^%d+ %d+ (%d+)')
  local free = runs and is_free(place, time - entries[place * 2] * 1000)
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
    local lease = tonumber(leases[place] or nil)
    scores[#scores + 1] = {math.floor(entries[place * 2]), consumers[place], not (lease and lease >= 0), kept[place] ~= ''}
  end
end
if #back + #gone > 0 then even_if_full(set) end
if #back > 0 then
  local records, lines, was = {}, {}, redis.call('HMGET', KEYS[7], unpack(back))
  local pauses, second, pause_after = {}, string.format('%.0f', math.floor(time / 1000)), tonumber(ARGV[12])
  for place, name in ipairs(back) do
    local deadline, consumer, counts, marked = unpack(scores[place])
    local timeout, streak, losses = string.match(registrations[place], '^%d+')
    records[place * 2 - 1] = name
    records[place * 2], lines[place], due[place], streak, losses, counts =
      lost(was[place], due[place], deadline, timeout, time, consumer, counts, marked, wait)
    local pause = counts and losses > SUSPECT and pause_after > 0 and streak >= pause_after
    if pause then pauses[#pauses + 1], pauses[#pauses + 2] = second, name end
    if counts and losses > 1 then
      for _, value in ipairs({name, losses, streak, pause and 0 or due[place]}) do repeated[#repeated + 1] = value end
    end
  end
  redis.call('HSET', KEYS[7], unpack(records))
  remember(KEYS[8], back, lines, tonumber(ARGV[10]), tonumber(ARGV[11]))
  if #pauses > 0 then
    redis.call('ZADD', KEYS[10], unpack(pauses))
    redis.call('ZADD', KEYS[3], 'NX', unpack(pauses))
  end
end
hand_back(KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[9], back, due, registrations)
if #gone > 0 then
  redis.call('HDEL', KEYS[4], unpack(gone))
  redis.call('HDEL', KEYS[8], unpack(gone))
  if runs then redis.call('HDEL', KEYS[5], unpack(gone)) end
  redis.call('ZREM', set, unpack(gone))
end
end_of_pass() -- last: should the rest fail, the marks stay
return {#names < size and -1 or from + #names - #back - #gone, #back, unknown, numeric, newly_lost, repeated}
