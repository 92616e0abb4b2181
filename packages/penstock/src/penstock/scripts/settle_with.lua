-- settle_with: ends one delivery as done and writes its result, if this consumer still owns it.
-- with  in_chunks, fence, even_if_full, finish
-- KEYS  1 stream  2 uncharged  3 crashed  4 finished  5 key of the result
-- ARGV  1 group  2 consumer  3 1 if the stream keeps no finished entries  4 result  5 ms that the result stays
--       6 and 7 the id, twice  8 id  9 delivery count
-- reply an answer as in `settle`
-- keeps the order: the result first, the removal last; only the owner of a delivery settles it
-- If the message leaves the stream, even a full Redis writes its result.
local answers, ours = fence(KEYS[1], ARGV[1], ARGV[2], 6, 2)
if #ours == 1 then
  if ARGV[3] == '1' then even_if_full(KEYS[1]) end
  redis.call('SET', KEYS[5], ARGV[4], 'PX', math.max(1, tonumber(ARGV[5])))
  finish(KEYS[1], ARGV[1], KEYS[2], KEYS[3], KEYS[4], {ARGV[8]}, ARGV[3] == '1')
end
return answers
