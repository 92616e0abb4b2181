-- Returns the fields of an entry followed by `more`, for a dead letter whose body no worker has; nil if the entry was deleted.
-- An entry with more fields than a command can pass is packed into one field as netstrings, as `dead_letter.py` does it.
local function copied(stream, id, more)
  local entry = redis.call('XRANGE', stream, id, id)[1]
  if not entry then return nil end
  local fields = entry[2]
  if #fields > 2000 then
    local parts = {}
    for i, part in ipairs(fields) do parts[i] = #part .. ':' .. part .. ',' end
    fields = {'penstock-dead-packed', table.concat(parts)}
  end
  for _, value in ipairs(more) do fields[#fields + 1] = value end
  return fields
end
