-- give_back: makes deliveries available to other workers without charging an attempt: those that a living worker did not
-- start or that a drain cut off; each only if this consumer still owns it.
-- with  in_chunks, fence, hand_over, free_deliveries, uncharge, even_if_full
-- KEYS  1 stream  2 uncharged
-- ARGV  1 group  2 consumer  3 and 4 roughly the lowest and highest id
--       5.. four values each: id, delivery count, further uncharged deliveries, `~ready`, or `~suspect` for a suspect
-- reply per delivery: 1 given back, 0 gone, or its current owner and count
-- keeps the number of attempts; only the owner of a delivery gives it back
local stream, uncharged, group = KEYS[1], KEYS[2], ARGV[1]
local answers, ours = fence(stream, group, ARGV[2], 3, 4)
local gone = {}
even_if_full(uncharged)
for _, i in ipairs(ours) do
  uncharge(uncharged, ARGV[i], tonumber(ARGV[i + 1]), 1 + tonumber(ARGV[i + 2]))
  hand_over(stream, group, ARGV[i + 3], {ARGV[i]}, gone)
end
if next(gone) then
  for n = 1, #answers do
    local id = ARGV[1 + 4 * n]
    if gone[id] then
      answers[n] = 0
      redis.call('HDEL', uncharged, id)
    end
  end
end
return answers
