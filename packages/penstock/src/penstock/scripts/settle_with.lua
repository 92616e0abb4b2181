-- settle_with: one delivery is done, and leaves a result, only if it still is this consumer's.
-- with  in_chunks, fence, even_if_full, finish
-- KEYS  1 stream  2 uncharged  3 crashed  4 finished  5 where the result goes
-- ARGV  1 group  2 consumer  3 1 where the stream keeps nothing that is done  4 result  5 ms that it stays
--       6 and 7 the id, twice  8 id  9 delivery count
-- reply one as `settle` gives
-- keeps P2 (the result first, removal last) and P3
-- Where the message leaves the stream, a full Redis takes its result.
local answers, ours = fence(KEYS[1], ARGV[1], ARGV[2], 6, 2)
if #ours == 1 then
  if ARGV[3] == '1' then even_if_full(KEYS[1]) end
  redis.call('SET', KEYS[5], ARGV[4], 'PX', math.max(1, tonumber(ARGV[5])))
  finish(KEYS[1], ARGV[1], KEYS[2], KEYS[3], KEYS[4], {ARGV[8]}, ARGV[3] == '1')
end
return answers
