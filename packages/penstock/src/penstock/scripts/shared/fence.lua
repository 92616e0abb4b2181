-- Which deliveries still belong to this consumer. From ARGV[first] on: about the lowest and the highest id of the batch, then
-- the deliveries, `step` values each: an entry's id and the delivery count it was given with.
-- One XPENDING covers the batch. What it did not find, because the consumer holds far more than the batch or because the
-- bounds were not exact, is asked for one by one. A batch in the order of its ids is the cheapest: it and the answer are
-- walked side by side, and `places` (id -> row) are made only where they part.
-- Returns for each: 1 (ours), 0 (pending nowhere), or the owner and its count; and where in ARGV ours begin. What stands in
-- the batch twice is ours once: a step that counts must not count twice.
local function fence(stream, group, consumer, first, step)
  -- Most of the time of a settle goes by here: a local is found faster than a global, and counts are mostly the same.
  local ARGV = ARGV
  local answers, ours, rows, places = {}, {}, {}, nil
  local from, next, said, count = first + 2, 1, nil, nil
  local deliveries = (#ARGV - from + 1) / step
  if deliveries > 1 then
    -- From millisecond to millisecond: as text, `5-10` stands below `5-9`. Twice the batch: a row costs about half of what a
    -- question of its own costs, so a little too many is cheap.
    local low, high = string.match(ARGV[first], '^%d+'), string.match(ARGV[first + 1], '^%d+')
    rows = redis.call('XPENDING', stream, group, low or '-', high or '+', 2 * deliveries + 8, consumer)
  end
  for n = 1, deliveries do
    local i = from + (n - 1) * step
    local id = ARGV[i]
    if ARGV[i + 1] ~= said then
      said = ARGV[i + 1]
      count = tonumber(said)
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
