-- clean: a page of one of the sets is looked through. What lost lives hold is due again, as it was, when its deadline is
-- over; what no job can be is removed.
-- A life is lost when it is in `pods` no more, or when it is told to be judged by its lease; who judges takes it out. What a
-- life that goes on holds is not touched before its deadline and the threshold are over. What a lost one holds is not
-- before its deadline: a pod that stood still may wake, and go on with what it ran.
-- The story says that it was lost, so that who takes it knows that this run was begun, and for which second.
-- with  now, even_if_full, score, lost, hand_back
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 pods  7 story
-- ARGV  1 `working` or `waiting`  2 from which place on  3 size of the page  4 ms behind a deadline that are too long
--       5 `judge`, or `leave` where leases may be over that nobody could renew  6 `*`, or shards as `,0,3,`
--       7 `remove` names of digits alone, or `keep` them
-- reply 1 where the next page begins, or -1 at the end  2 jobs that are due again  3 removed as nothing is known of them
--       4 removed as their names are digits alone  5 lives that were judged to be lost
-- keeps S2, S3, S4, S7
local runs = ARGV[1] == 'working'
local set, from, size, time = runs and KEYS[2] or KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), now()
local judged = 0
if runs and ARGV[5] == 'judge' then
  judged = redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', string.format('(%.0f', time))
end
local found = redis.call('ZRANGE', set, from, from + size - 1, 'WITHSCORES')
if #found == 0 then return {-1, 0, 0, 0, judged} end
local names = {}
for at = 1, #found, 2 do names[#names + 1] = found[at] end
local known = redis.call('HMGET', KEYS[4], unpack(names))
local holders, lives, since, ends = redis.call('HMGET', KEYS[5], unpack(names)), {}, {}, {}
for place in ipairs(names) do
  since[place], lives[place] = string.match(holders[place] or '', '^(%d+) (.+)$')
  lives[place] = lives[place] or ''
end
ends = redis.call('ZMSCORE', KEYS[6], unpack(lives))
local back, due, says, scores, gone, unknown, numeric = {}, {}, {}, {}, {}, 0, 0
for place, name in ipairs(names) do
  local shard = known[place] and string.match(known[place], '^%d+ %d+ (%d+)')
  local over = time - found[place * 2] * 1000
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
    back[#back + 1], says[#says + 1] = name, known[place]
    due[#due + 1] = tonumber(since[place]) or math.floor(time / 1000)
    scores[#scores + 1] = {math.floor(found[place * 2]), lives[place]}
  end
end
if #back + #gone > 0 then even_if_full(set) end
if #back > 0 then
  local stories, was = {}, redis.call('HMGET', KEYS[7], unpack(back))
  for place, name in ipairs(back) do
    local deadline, life = unpack(scores[place])
    stories[#stories + 1] = name
    stories[#stories + 1] = lost(was[place], due[place], deadline, string.match(says[place], '^%d+'), time, life)
  end
  redis.call('HSET', KEYS[7], unpack(stories))
end
hand_back(KEYS[1], KEYS[2], KEYS[3], KEYS[5], back, due, says)
if #gone > 0 then
  redis.call('HDEL', KEYS[4], unpack(gone))
  if runs then redis.call('HDEL', KEYS[5], unpack(gone)) end
  redis.call('ZREM', set, unpack(gone))
end
return {#names < size and -1 or from + #names - #back - #gone, #back, unknown, numeric, judged}
