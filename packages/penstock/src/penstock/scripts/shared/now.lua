-- Milliseconds since 1970 on Redis's own clock: all due times and leases are told by it.
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
