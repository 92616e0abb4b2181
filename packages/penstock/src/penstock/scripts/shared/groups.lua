-- What XINFO GROUPS tells, by name: a list of maps from word to value. A stream that is not there has no groups.
local function groups(stream)
  local told = redis.pcall('XINFO', 'GROUPS', stream)
  if told.err then return {} end
  local all = {}
  for _, flat in ipairs(told) do
    local one = {}
    for i = 1, #flat, 2 do one[flat[i]] = flat[i + 1] end
    all[#all + 1] = one
  end
  return all
end
