-- register: registers jobs, and adds those that are in no set to the waiting set.
-- A waiting job keeps its due time and gets its new priority. If its schedule has changed, it is due no later than the new
-- schedule requires.
-- with  now, score
-- KEYS  1 waiting  2 working  3 paused  4 jobs
-- ARGV  1.. five per job: its name; `<timeout in ms> <priority> <shard> <a word for its schedule and overlap>`,
--       and its limited labels as a further word if it has any: `account=a,region=eu`; its priority; when it
--       is due if it is new; when it is due at the latest if its schedule has changed
-- reply 1 Redis time in ms  2 jobs that were added to the waiting set
-- keeps each registered job in at least one set
local SCHEDULE = '^%d+ %d+ %d+ (%S+)'
local time, names, known = now(), {}, {}
local second = string.format('%.0f', math.floor(time / 1000))
for place = 1, #ARGV / 5 do names[place] = ARGV[place * 5 - 4] end
local before = redis.call('HMGET', KEYS[4], unpack(names))
local waiting = redis.call('ZMSCORE', KEYS[1], unpack(names))
local working = redis.call('ZMSCORE', KEYS[2], unpack(names))
local paused = redis.call('ZMSCORE', KEYS[3], unpack(names))
local moves, moved, added = {}, 0, 0
for place = 1, #names do
  local name, at = names[place], place * 5
  local registration, priority, new, latest = ARGV[at - 3], ARGV[at - 2], ARGV[at - 1], ARGV[at]
  known[place * 2 - 1], known[place * 2] = name, registration .. ' ' .. second
  local to
  if waiting[place] then
    local schedule = before[place] and string.match(before[place], SCHEDULE)
    local due = math.floor(waiting[place])
    if schedule and schedule ~= string.match(registration, SCHEDULE) then due = math.min(due, tonumber(latest)) end
    to = score(due, priority)
    if tonumber(to) == tonumber(waiting[place]) then to = nil end
  elseif not working[place] and not paused[place] then
    to = score(tonumber(new), priority)
    added = added + 1
  end
  if to then
    moves[moved + 1], moves[moved + 2] = to, name
    moved = moved + 2
  end
end
redis.call('HSET', KEYS[4], unpack(known))
if moved > 0 then redis.call('ZADD', KEYS[1], unpack(moves)) end
return {time, added}
