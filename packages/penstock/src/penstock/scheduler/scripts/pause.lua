-- pause: pauses jobs until they are resumed. A running job finishes first. `*` pauses all jobs.
-- with  now
-- KEYS  1 waiting  2 working  3 paused  4 jobs
-- ARGV  1.. names, or `*`
-- reply a number per name: 1 paused; 2 paused when its run ends; 3 it was paused before; 0 it is not registered
-- keeps each registered job in at least one set: adds to `paused` first
local answers = {}
local second = string.format('%.0f', math.floor(now() / 1000))
for place, name in ipairs(ARGV) do
  local waits = redis.call('ZSCORE', KEYS[1], name)
  if redis.call('ZSCORE', KEYS[3], name) then
    answers[place] = 3
  elseif name ~= '*' and redis.call('HEXISTS', KEYS[4], name) == 0 then
    answers[place] = 0
  else
    redis.call('ZADD', KEYS[3], waits or second, name)
    redis.call('ZREM', KEYS[1], name)
    answers[place] = redis.call('ZSCORE', KEYS[2], name) and 2 or 1
  end
end
return answers
