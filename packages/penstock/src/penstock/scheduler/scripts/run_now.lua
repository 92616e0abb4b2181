-- run_now: makes waiting jobs due now. A job that runs is due now when its run has ended, unless its schedule in its
-- registration ends with `/skip`; a pod cancels that run if it ends with `/replace`.
-- with  now, score
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 again
-- ARGV  1.. names
-- reply a number per name: 1 due now; 2 it runs, and nothing changes; 3 it is paused; 0 it is not registered;
--       4 it runs, and runs again right after; 5 its run is replaced
local answers = {}
local second = math.floor(now() / 1000)
for place, name in ipairs(ARGV) do
  local known = redis.call('HGET', KEYS[4], name) or ''
  local priority = string.match(known, '^%d+ (%d+)')
  if redis.call('ZSCORE', KEYS[2], name) then
    local overlap = string.match(known, '^%d+ %d+ %d+ [^ /]+/?(%l*)')
    answers[place] = (not overlap or overlap == 'skip') and 2 or overlap == 'replace' and 5 or 4
    if overlap and overlap ~= 'skip' then redis.call('ZADD', KEYS[5], 'NX', second, name) end
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
