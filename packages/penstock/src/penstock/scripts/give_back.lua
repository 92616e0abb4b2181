-- give_back: deliveries that a living worker did not start, or that a drain cut off, wait for another worker and are not
-- charged; each only if it still is this consumer's.
-- with  fence
-- KEYS  1 stream  2 uncharged
-- ARGV  1 group  2 consumer  3 and 4 about the lowest and highest id
--       5.. four values each: id, delivery count, deliveries more that do not count, `~ready`, or `~suspect` for what was a
--       suspect
-- reply for each: 1 given back, 0 gone, or the owner it has now and its count
-- keeps P3 and P4
local stream, uncharged = KEYS[1], KEYS[2]
local answers, ours = fence(stream, ARGV[1], ARGV[2], 3, 4)
for _, i in ipairs(ours) do
  redis.call('HINCRBY', uncharged, ARGV[i], 1 + tonumber(ARGV[i + 2]))
  redis.call('XCLAIM', stream, ARGV[1], ARGV[i + 3], 0, ARGV[i], 'JUSTID')
end
return answers
