-- keep: marks runs for `clean`. `kept`: they go on after their deadline, and `clean` leaves them to their consumer as long as
-- it lives. So a job never starts beside a run that ignores its cancellation. `alone`: the job is a suspect, and no other
-- suspect runs in its pod, so a loss of the pod counts against this job. Each only if its run still has the job; may be
-- repeated.
-- with  even_if_full, held
-- KEYS  1 working  2 owners
-- ARGV  1 the mark  2.. two per run: its job, its working score in microseconds
-- reply how many runs still have their jobs
-- keeps each job in its set; changes only jobs that their runs still hold
local names, _, ours = held(KEYS[1], 2, 2)
if #ours == 0 then return 0 end
local holders, kept = redis.call('HMGET', KEYS[2], unpack(names)), {}
for _, place in ipairs(ours) do
  local holder = string.match(holders[place] or '', '^%d+ %S+')
  if holder then kept[#kept + 1], kept[#kept + 2] = names[place], holder .. ' ' .. ARGV[1] end
end
if #kept > 0 then
  even_if_full(KEYS[2])
  redis.call('HSET', KEYS[2], unpack(kept))
end
return #ours
