-- release: hands back jobs that did not run, or did not finish, each only if its run still has the job.
-- with  even_if_full, score, held, hand_back
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 owners  6 again
-- ARGV  1.. three per run: its job, its working score in microseconds, the second at which the job is due again
-- reply a number per run: 1 done; 2 another run has the job; 3 no run has it: it was handed back; 0 it is not registered
-- keeps each registered job in at least one set; changes only jobs that their runs still hold
local names, scores, ours = held(KEYS[2], 1, 3)
local known = redis.call('HMGET', KEYS[4], unpack(names))
local answers, ends, due, registrations = {}, {}, {}, {}
for place in ipairs(names) do answers[place] = scores[place] and 2 or known[place] and 3 or 0 end
for _, place in ipairs(ours) do
  answers[place] = known[place] and 1 or 0
  ends[#ends + 1], due[#due + 1], registrations[#registrations + 1] = names[place], tonumber(ARGV[place * 3]), known[place]
end
if #ends == 0 then return answers end
even_if_full(KEYS[2])
hand_back(KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[6], ends, due, registrations)
return answers
