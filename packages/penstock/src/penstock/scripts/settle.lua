-- settle: ends deliveries as done, each only if this consumer still owns it.
-- with  in_chunks, fence, even_if_full, finish
-- KEYS  1 stream  2 uncharged  3 crashed  4 finished
-- ARGV  1 group  2 consumer  3 1 if the stream keeps no finished entries  4 and 5 roughly the lowest and highest id
--       6.. pairs of id and delivery count
-- reply per delivery: 1 settled, 0 gone, or its current owner and count
-- keeps the order: the removal last; only the owner of a delivery settles it
local answers, ours = fence(KEYS[1], ARGV[1], ARGV[2], 4, 2)
local ids = {}
for n, i in ipairs(ours) do ids[n] = ARGV[i] end
finish(KEYS[1], ARGV[1], KEYS[2], KEYS[3], KEYS[4], ids, ARGV[3] == '1')
return answers
