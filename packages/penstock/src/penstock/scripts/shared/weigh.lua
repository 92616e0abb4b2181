-- Returns the bytes of an entry, with 16 more for each name or value, and the bytes of its body: of the first value of the
-- field `name`; or, if that is empty, of all names and values that are not Penstock's.
local function weigh(fields, name)
  local all, body = 0, nil
  for i = 1, #fields, 2 do
    local size = #fields[i + 1]
    all = all + #fields[i] + size + 32
    if name == '' then
      if string.sub(fields[i], 1, 9) ~= 'penstock-' then body = (body or 0) + #fields[i] + size end
    elseif fields[i] == name then
      body = body or size
    end
  end
  return all, body or 0
end
