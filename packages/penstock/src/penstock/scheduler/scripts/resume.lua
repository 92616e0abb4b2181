-- resume: resumes paused jobs with the scores that they had. `*` ends a pause of all jobs; jobs paused by name stay paused.
-- A job that was paused because it failed too often starts to count its failures anew.
-- KEYS  1 waiting  2 working  3 paused  4 jobs  5 given_up  6 story
-- ARGV  1.. names, or `*`
-- reply a number per name: 1 resumed; 3 it was not paused; 0 it is not registered
-- keeps each registered job in at least one set: removes from `paused` last
local answers = {}
for place, name in ipairs(ARGV) do
  local had = redis.call('ZSCORE', KEYS[3], name)
  local known = name == '*' or redis.call('HEXISTS', KEYS[4], name) == 1
  if had and name ~= '*' and known and not redis.call('ZSCORE', KEYS[2], name) then
    redis.call('ZADD', KEYS[1], 'NX', had, name)
  end
  if redis.call('ZREM', KEYS[5], name) == 1 then
    local record = redis.call('HGET', KEYS[6], name)
    if record then
      record = string.gsub(record, '"streak":%d+', '"streak":0', 1)
      redis.call('HSET', KEYS[6], name, (string.gsub(record, '"lost":%d+', '"lost":0', 1)))
    end
  end
  redis.call('ZREM', KEYS[3], name)
  answers[place] = had and 1 or known and 3 or 0
end
return answers
