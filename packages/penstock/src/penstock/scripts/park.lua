-- park: deliveries wait for another attempt, each only if it still is this consumer's.
-- with  now, in_chunks, fence, hand_over, uncharge, even_if_full
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed
-- ARGV  1 group  2 consumer  3 and 4 about the lowest and highest id
--       5.. five values each: id, delivery count, ms to wait, deliveries more that do not count, 1 when its handler took its
--       process down
-- reply for each: 1 parked, 0 gone, or the owner it has now and its count
-- keeps P2 (the due time first) and P3; the delivery count stays, so the fence does
local stream, parked, uncharged, crashed, group = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
-- A key that is not what it should be fails here, before anything is written.
redis.call('HLEN', uncharged)
local crashes = redis.call('HLEN', crashed) > 0
local time = now()
local answers, ours = fence(stream, group, ARGV[2], 3, 5)
local due, down, up, charged, gone = {}, {}, {}, {}, {}
for _, i in ipairs(ours) do
  local id = ARGV[i]
  due[#due + 1] = time + tonumber(ARGV[i + 2])
  due[#due + 1] = id
  if ARGV[i + 3] == '0' then charged[#charged + 1] = id end
  if ARGV[i + 4] == '1' then
    down[#down + 1] = id
    down[#down + 1] = 'crash'
  else
    up[#up + 1] = id
  end
end
even_if_full(parked)
in_chunks(due, function(...) redis.call('ZADD', parked, ...) end)
in_chunks(down, function(...) redis.call('HSET', crashed, ...) end)
if crashes then in_chunks(up, function(...) redis.call('HDEL', crashed, ...) end) end
hand_over(stream, group, '~parked', charged, gone)
for _, i in ipairs(ours) do
  if ARGV[i + 3] ~= '0' then
    -- One at a time: what is counted has been handed over too, so that a repeat after an error counts nothing twice.
    uncharge(uncharged, ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 3])
    hand_over(stream, group, '~parked', {ARGV[i]}, gone)
  end
end
if next(gone) then
  for n = 1, #answers do
    local id = ARGV[5 * n]
    if gone[id] then
      answers[n] = 0
      redis.call('ZREM', parked, id)
      redis.call('HDEL', uncharged, id)
      redis.call('HDEL', crashed, id)
    end
  end
end
return answers
