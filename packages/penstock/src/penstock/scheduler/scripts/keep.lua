-- keep: keeps jobs for runs that go on after their deadline: `clean` leaves them to their consumer as long as it lives. So a
-- job never starts beside a run that ignores its cancellation. Each only if its run still has the job; may be repeated.
-- with  even_if_full, held
-- KEYS  1 working  2 owners
-- ARGV  1.. two per run: its job, its working score in microseconds
-- reply how many runs still have their jobs
-- keeps each job in its set; changes only jobs that their runs still hold
local names, _, ours = held(KEYS[1], 1, 2)
if #ours == 0 then return 0 end
local holders, kept = redis.call('HMGET', KEYS[2], unpack(names)), {}
for _, place in ipairs(ours) do
  local holder = string.match(holders[place] or '', '^%d+ %S+')
  if holder then kept[#kept + 1], kept[#kept + 2] = names[place], holder .. ' kept' end
end
if #kept > 0 then
  even_if_full(KEYS[2])
  redis.call('HSET', KEYS[2], unpack(kept))
end
return #ours
