-- complete: hands back the jobs of ended runs with their records, each only if its run still has the job. Each such run is
-- added to the history of its job once.
-- May be repeated: for a run that was completed before, the reply is done.
-- with  even_if_full, score, held, hand_back, remember
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 story  7 history  8 again
-- ARGV  1 the runs to keep in a history  2 their age in seconds
--       3.. five per run: its job, its working score in microseconds, the second at which the job is due next, its record,
--       its line in the history
-- reply a number per run: 1 done; 2 another run has the job; 3 no run has it: it was handed back; 0 it is not registered;
--       or an empty list if all are done, which is the usual case
-- keeps each registered job in at least one set; changes only jobs that their runs still hold
local names, scores, ours = held(KEYS[2], 3, 5)
local known = redis.call('HMGET', KEYS[4], unpack(names))
local answers, ends, due, registrations, records, count, done, lines = {}, {}, {}, {}, {}, 0, {}, {}
if #ours < #names then
  for place = 1, #names do
    answers[place] = scores[place] and 2 or known[place] and 3 or 0
    if answers[place] == 3 and redis.call('HGET', KEYS[6], names[place]) == ARGV[place * 5 + 1] then answers[place] = 1 end
  end
end
for at = 1, #ours do
  local place = ours[at]
  ends[at], due[at], registrations[at] = names[place], ARGV[place * 5], known[place]
  if registrations[at] then
    records[count + 1], records[count + 2] = names[place], ARGV[place * 5 + 1]
    count = count + 2
    done[count / 2], lines[count / 2] = names[place], ARGV[place * 5 + 2]
  end
end
if #ends == 0 then return answers end
even_if_full(KEYS[2])
if count > 0 then redis.call('HSET', KEYS[6], unpack(records)) end
remember(KEYS[7], done, lines, tonumber(ARGV[1]), tonumber(ARGV[2]))
hand_back(KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[8], ends, due, registrations)
if count == #names * 2 then return {} end
for at = 1, #ours do answers[ours[at]] = registrations[at] and 1 or 0 end
return answers
