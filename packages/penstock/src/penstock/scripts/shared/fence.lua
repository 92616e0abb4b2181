-- Finds which deliveries still belong to this consumer. ARGV[first] and the next are roughly the lowest and highest id of the
-- batch; the deliveries follow, `step` values each, starting with an entry's id and its delivery count.
-- One XPENDING covers the batch. Entries that it did not return, because the consumer owns far more than the batch or the
-- bounds were not exact, are looked up one by one. A batch in id order is cheapest: batch and reply are read in parallel,
-- and `places` (id -> row) is built only where they diverge.
-- Returns per delivery: 1 (ours), 0 (not pending), or the owner and its count; and the positions in ARGV of ours. An
-- entry that is in the batch twice is ours only once, because steps must not count it twice.
local function fence(stream, group, consumer, first, step)
  -- Settling spends most of its time here: locals are faster than globals, and most counts are equal.
  local ARGV = ARGV
  local answers, ours, rows, places = {}, {}, {}, nil
  local from, next, last_count, count = first + 2, 1, nil, nil
  local deliveries = (#ARGV - from + 1) / step
  if deliveries > 1 then
    -- Bounds in milliseconds, because as text `5-10` is below `5-9`. Twice the batch: a row costs about half as much as a
    -- separate lookup, so a few additional rows are cheap.
    local low, high = string.match(ARGV[first], '^%d+'), string.match(ARGV[first + 1], '^%d+')
    rows = redis.call('XPENDING', stream, group, low or '-', high or '+', 2 * deliveries + 8, consumer)
  end
  for n = 1, deliveries do
    local i = from + (n - 1) * step
    local id = ARGV[i]
    if ARGV[i + 1] ~= last_count then
      last_count = ARGV[i + 1]
      count = tonumber(last_count)
    end
    local row = rows[next]
    if row and row[1] == id then
      next = next + 1
    else
      if not places then
        places = {}
        for place, one in ipairs(rows) do places[one[1]] = place end
      end
      row = rows[places[id]]
      if row then
        next = places[id] + 1
      else
        row = redis.call('XPENDING', stream, group, id, id, 1)[1]
        rows[#rows + 1] = row
        places[id] = row and #rows
      end
    end
    if not row then
      answers[n] = 0
    elseif row[2] ~= consumer or row[4] ~= count then
      answers[n] = {row[2], row[4]}
    else
      answers[n] = 1
      if row[3] ~= 'ours' then
        row[3] = 'ours'
        ours[#ours + 1] = i
      end
    end
  end
  return answers, ours
end
