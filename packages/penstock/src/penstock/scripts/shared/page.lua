-- Reads a page of entries between two ids, limited by number and by bytes: large entries are read a few at a time, so that
-- they do not block Redis longer than small ones. Each name or value counts as 16 bytes more than its length.
-- Returns the entries, their bytes, and whether there are no more.
local function page(stream, from, to, most, bytes)
  local entries, seen, step = {}, 0, 1
  while #entries < most and seen < bytes do
    local requested = math.min(step, most - #entries)
    local some = redis.call('XRANGE', stream, from, to, 'COUNT', requested)
    for _, entry in ipairs(some) do
      entries[#entries + 1] = entry
      for _, value in ipairs(entry[2]) do seen = seen + #value + 16 end
    end
    if #some < requested then return entries, seen, true end
    from = '(' .. entries[#entries][1]
    step = math.max(1, math.min(4 * step, math.floor((bytes - seen) * #entries / seen)))
  end
  return entries, seen, false
end
