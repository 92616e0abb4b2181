-- run_now: makes waiting jobs due now.
-- with  now, score
-- KEYS  1 waiting  2 working  3 paused  4 jobs
-- ARGV  1.. names
-- reply a number per name: 1 due now; 2 it runs; 3 it is paused; 0 it is not registered
local answers = {}
local second = math.floor(now() / 1000)
for place, name in ipairs(ARGV) do
  local priority = string.match(redis.call('HGET', KEYS[4], name) or '', '^%d+ (%d+)')
  if redis.call('ZSCORE', KEYS[2], name) then
    answers[place] = 2
  elseif redis.call('ZSCORE', KEYS[3], name) then
    answers[place] = 3
  elseif not priority then
    answers[place] = 0
  else
    redis.call('ZADD', KEYS[1], 'LT', score(second, priority), name)
    answers[place] = 1
  end
end
return answers
