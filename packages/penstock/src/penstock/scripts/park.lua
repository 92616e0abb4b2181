-- park: lets deliveries wait for their retry, each only if this consumer still owns it.
-- If finished entries stay, each parked one is recorded in `uncharged` until it ends: then a deleted consumer loses none of
-- them, because a recorded entry that is not pending is unfinished (see `reconcile_left`), and its attempts are known.
-- with  now, in_chunks, fence, hand_over, free_deliveries, uncharge, even_if_full
-- KEYS  1 stream  2 parked  3 uncharged  4 crashed
-- ARGV  1 group  2 consumer  3 1 if the stream keeps no finished entries  4 and 5 roughly the lowest and highest id
--       6.. five values each: id, delivery count, ms to wait, further uncharged deliveries, 1 if its handler crashed its process;
--       or the number of that attempt with a minus if it was the last: then it is not run again, but buried (see `claim`)
-- reply per delivery: 1 parked, 0 gone, or its current owner and count
-- keeps the order: the due time first; only the owner of a delivery parks it; the delivery count stays, and so the fence
local stream, parked, uncharged, crashed, group = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
-- A key of the wrong type fails here, before anything is written.
redis.call('HLEN', uncharged)
local crashes = redis.call('HLEN', crashed) > 0
local time = now()
local answers, ours = fence(stream, group, ARGV[2], 4, 5)
local due, down, up, charged, gone = {}, {}, {}, {}, {}
local records = ARGV[3] ~= '1'
for _, i in ipairs(ours) do
  local id = ARGV[i]
  due[#due + 1] = time + tonumber(ARGV[i + 2])
  due[#due + 1] = id
  if ARGV[i + 3] == '0' and not records then charged[#charged + 1] = id end
  if ARGV[i + 4] == '1' then
    down[#down + 1] = id
    down[#down + 1] = 'crash'
  elseif tonumber(ARGV[i + 4]) < 0 then
    down[#down + 1] = id
    down[#down + 1] = string.sub(ARGV[i + 4], 2)
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
  if ARGV[i + 3] ~= '0' or records then
    uncharge(uncharged, ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 3])
    hand_over(stream, group, '~parked', {ARGV[i]}, gone)
  end
end
if next(gone) then
  for n = 1, #answers do
    local id = ARGV[5 * n + 1]
    if gone[id] then
      answers[n] = 0
      redis.call('ZREM', parked, id)
      redis.call('HDEL', uncharged, id)
      redis.call('HDEL', crashed, id)
    end
  end
end
return answers
