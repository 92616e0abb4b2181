-- bury: writes the dead letter of one delivery, if this consumer still owns it.
-- Its deduplication key remembers it as dead, unless another message has the key now: other messages may take the key,
-- but a late repeat of its own send is still a duplicate. If the message leaves the stream, even a full Redis writes the dead
-- letter.
-- A body that the worker does not have is copied inside Redis.
-- with  in_chunks, fence, even_if_full, finish, key_holder, copied
-- KEYS  1 stream  2 dead letters  3 uncharged  4 crashed  5 finished
--       6 deduplication key, or the stream again if there is none
-- ARGV  1 group  2 consumer  3 1 if the stream keeps no finished entries  4 the message's id, for its deduplication key
--       5 number of values of the dead letter, negative if the entry's own fields come before them
--       6.. names and values of the dead letter, then the entry's id three times and its delivery count
-- reply the dead letter's id; or an answer as in `settle` if nothing was written
-- keeps the order: the dead letter first, the removal last; only the owner of a delivery buries it
local values = math.abs(tonumber(ARGV[5]))
local answers, ours = fence(KEYS[1], ARGV[1], ARGV[2], 6 + values, 2)
if #ours == 1 then
  -- A key of the wrong type must fail here: after the dead letter is written, each repeat would write another.
  local holder, dead = key_holder(KEYS[6] ~= KEYS[1] and redis.call('GET', KEYS[6]))
  redis.call('HLEN', KEYS[3])
  redis.call('HLEN', KEYS[4])
  redis.call('SCARD', KEYS[5])
  local letter = {unpack(ARGV, 6, 5 + values)}
  if tonumber(ARGV[5]) < 0 then letter = copied(KEYS[1], ARGV[8 + values], letter) end
  if ARGV[3] == '1' then even_if_full(KEYS[1]) end
  answers[1] = letter and redis.call('XADD', KEYS[2], '*', unpack(letter)) or 0
  if holder ~= '' and holder == ARGV[4] then
    -- The three last ones, so that a key whose messages always die stays short.
    dead = string.match(' ' .. holder .. dead, '^ %S+ %S+ %S+') or ' ' .. holder .. dead
    redis.pcall('SET', KEYS[6], dead, 'KEEPTTL') -- without the right to it, the key only stays taken for its window
  end
  finish(KEYS[1], ARGV[1], KEYS[3], KEYS[4], KEYS[5], {ARGV[8 + values]}, ARGV[3] == '1')
end
return answers
