-- Returns XINFO GROUPS as a list of tables. A missing stream has no groups.
local function groups(stream)
  local reply = redis.pcall('XINFO', 'GROUPS', stream)
  if reply.err then return {} end
  local all = {}
  for _, flat in ipairs(reply) do
    local one = {}
    for i = 1, #flat, 2 do one[flat[i]] = flat[i + 1] end
    all[#all + 1] = one
  end
  return all
end
