-- adopt: gives messages back to this consumer that runs their first attempt and does not own them any more, because a foreign
-- client deleted the consumer. They get the same delivery count, so that their fence stays. Nothing else knows of a first
-- attempt if finished entries stay; other deliveries are recorded, and reconciling brings them back.
-- with  pending, even_if_full
-- KEYS  1 stream  2 alive  3 uncharged
-- ARGV  1 group  2 consumer  3.. ids
-- reply per message: 1 owned again, 0 unchanged: it is pending, recorded or not in the stream, or the lease is lost
-- keeps a message that another consumer owns
local stream, group, consumer = KEYS[1], ARGV[1], ARGV[2]
local ends = tonumber(redis.call('ZSCORE', KEYS[2], consumer) or -1)
local answers = {}
for i = 3, #ARGV do
  local id, adopted = ARGV[i], 0
  if ends >= 0 and not pending(stream, group, id) and redis.call('HEXISTS', KEYS[3], id) == 0
    and #redis.call('XRANGE', stream, id, id) == 1 then
    even_if_full(KEYS[2])
    adopted = #redis.call('XCLAIM', stream, group, consumer, 0, id, 'RETRYCOUNT', 1, 'FORCE', 'JUSTID')
  end
  answers[#answers + 1] = adopted
end
return answers
