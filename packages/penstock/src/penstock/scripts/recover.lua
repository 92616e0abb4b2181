-- recover: makes messages available again that this consumer ran and did not finish, and that are pending nowhere, because a
-- foreign client deleted the consumer. While its lease is valid nobody else took them over or finished them. Their attempts
-- still count.
-- with  pending, even_if_full, free_deliveries, recorded, bring_back
-- KEYS  1 stream  2 alive  3 parked  4 uncharged  5 crashed  6 position
-- ARGV  1 group  2 consumer  3.. three values each: id, delivery count, deliveries up to now that are not charged
-- reply per message: 1 available, 0 neither pending nor in the stream or the lease is lost, or its current owner and count
-- keeps a message that another consumer owns
local stream, uncharged, group = KEYS[1], KEYS[4], ARGV[1]
local ends = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or -1)
local answers = {}
for i = 3, #ARGV, 3 do
  local id = ARGV[i]
  local one = pending(stream, group, id)
  if one then
    answers[#answers + 1] = {one[2], one[4]}
  elseif ends < 0 or #redis.call('XRANGE', stream, id, id) == 0 then
    answers[#answers + 1] = 0
  else
    even_if_full(uncharged)
    redis.call('HSET', uncharged, id, ARGV[i + 2] .. '@' .. ARGV[i + 1])
    answers[#answers + 1] = bring_back(stream, group, KEYS[3], uncharged, KEYS[5], KEYS[6], {id})
  end
end
return answers
